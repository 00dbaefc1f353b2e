package dev.tarn.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The command line stands on the public packages, and on nobody's internals. */
@AnalyzeClasses(
        packages = "dev.tarn.cli",
        importOptions = {ImportOption.DoNotIncludeTests.class})
class LayeringTest {
    @ArchTest
    static final ArchRule usesOnlyPublicPackages =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.tarn..internal..", "sun..", "jdk.internal..");

    /** A stray print would end up in somebody's data. */
    @ArchTest
    static final ArchRule printsOnlyInMain =
            noClasses()
                    .that()
                    .doNotHaveFullyQualifiedName(Main.class.getName())
                    .should()
                    .accessField(System.class, "out")
                    .orShould()
                    .accessField(System.class, "err")
                    .orShould()
                    .callMethod(System.class, "exit", int.class);

    @ArchTest
    static final ArchRule commandsAreNamedAlike =
            classes()
                    .that()
                    .areAssignableTo(TarnCommand.class)
                    .and(JavaClass.Predicates.simpleNameStartingWith("Main").negate())
                    .should()
                    .haveSimpleNameEndingWith("Command");
}
