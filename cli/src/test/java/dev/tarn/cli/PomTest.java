package dev.tarn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What the enforcer cannot check of the build: versions stand in the root pom and nowhere else. */
class PomTest {
    @ParameterizedTest
    @MethodSource("modulePoms")
    void modulesNameNoVersions(Path pom) throws Exception {
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
        NodeList versions = document.getElementsByTagName("version");

        assertThat(versions.getLength()).isPositive();
        for (int i = 0; i < versions.getLength(); i++) {
            Element version = (Element) versions.item(i);
            Node owner = version.getParentNode();
            if (!owner.getNodeName().equals("parent")) {
                assertThat(version.getTextContent())
                        .as("version of %s in %s", owner.getTextContent().strip(), pom)
                        .matches("\\$\\{[a-z0-9.-]+\\}");
            }
        }
    }

    static List<Path> modulePoms() throws IOException {
        try (Stream<Path> directories = Files.list(Path.of(".."))) {
            List<Path> poms =
                    directories
                            .map(directory -> directory.resolve("pom.xml"))
                            .filter(Files::isRegularFile)
                            .sorted()
                            .toList();
            assertThat(poms).hasSizeGreaterThanOrEqualTo(6);
            return poms;
        }
    }
}
