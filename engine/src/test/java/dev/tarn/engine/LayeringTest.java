package dev.tarn.engine;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The directions of dependencies that the engine keeps. */
@AnalyzeClasses(packages = "dev.tarn", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {
    /** The engine module is the two packages; what is above it sees its public types only. */
    @ArchTest
    static final ArchRule internalsAreSeenByTheEngineOnly =
            classes()
                    .that()
                    .resideInAPackage("dev.tarn.engine.internal..")
                    .should()
                    .onlyHaveDependentClassesThat()
                    .resideInAnyPackage("dev.tarn.engine..", "dev.tarn.table..");

    @ArchTest
    static final ArchRule bytesEngineKnowsNoTables =
            noClasses()
                    .that()
                    .resideInAPackage("dev.tarn.engine..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("dev.tarn.table..");

    @ArchTest
    static final ArchRule pickerKnowsNoFiles =
            noClasses()
                    .that()
                    .resideInAPackage("dev.tarn.engine.internal.compaction")
                    .and()
                    .haveNameMatching(".*\\.(UniversalCompaction.*|CompactionPick.*|RunSize)")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.tarn.io..",
                            "dev.tarn.sst..",
                            "dev.tarn.memtable..",
                            "dev.tarn.engine.internal.version..");

    @ArchTest
    static final ArchRule filesAreReachedThroughTheFileLayer =
            noClasses()
                    .that()
                    .resideInAPackage("dev.tarn.engine.internal..")
                    .should()
                    .dependOnClassesThat()
                    .haveNameMatching(
                            "java\\.io\\.(File|File(In|Out)putStream|RandomAccessFile)"
                                    + "|java\\.nio\\.file\\.(Path|Paths|Files)"
                                    + "|java\\.nio\\.channels\\.FileChannel");
}
