package dev.tarn.sst;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The directions of dependencies that the SST format keeps. */
@AnalyzeClasses(packages = "dev.tarn", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {
    @ArchTest
    static final ArchRule standsOnBaseOnly =
            classes()
                    .that()
                    .resideInAPackage("dev.tarn.sst..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "dev.tarn.memory..",
                            "dev.tarn.codec..",
                            "dev.tarn.io..",
                            "dev.tarn.sst..",
                            "net.jpountz.lz4..",
                            "com.github.luben.zstd..",
                            "org.agrona.collections..",
                            "org.slf4j..",
                            "org.jspecify..",
                            "com.google.errorprone..");

    @ArchTest
    static final ArchRule blocksFiltersAndCacheKnowNoFiles =
            noClasses()
                    .that()
                    .resideInAnyPackage(
                            "dev.tarn.sst.block..", "dev.tarn.sst.filter..", "dev.tarn.sst.cache..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.tarn.sst", "dev.tarn.io..");

    @ArchTest
    static final ArchRule filesGoThroughTheFileLayer =
            noClasses()
                    .that()
                    .resideInAPackage("dev.tarn.sst..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("java.nio.file..")
                    .orShould()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("java.io.File")
                    .because("storage is reached through dev.tarn.io alone");

    @ArchTest
    static final ArchRule zstdIsOptional =
            noClasses()
                    .that()
                    .resideInAPackage("dev.tarn.sst..")
                    .and()
                    .doNotHaveSimpleName("ZstdBlocks")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("com.github.luben.zstd..");
}
