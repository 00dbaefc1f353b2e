package dev.tarn.jmh;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Where peers may be named, and that reports know benchmarks but not the other way round. */
@AnalyzeClasses(packages = "dev.tarn.jmh", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {
    @ArchTest
    static final ArchRule peersHideBehindTheirInterfaces =
            noClasses()
                    .that()
                    .haveSimpleNameNotContaining("Peer")
                    .and()
                    .haveSimpleNameNotContaining("RocksDbSession")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "org.rocksdb..", "org.lmdbjava..", "org.h2..", "org.apache.paimon..");

    @ArchTest
    static final ArchRule benchmarksDoNotKnowReports =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.tarn.jmh.report..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("dev.tarn.jmh.report..");

    @ArchTest
    static final ArchRule recordsKnowNoStore =
            noClasses()
                    .that()
                    .resideInAPackage("dev.tarn.jmh.data..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.tarn.jmh.memtable..",
                            "dev.tarn.jmh.sst..",
                            "dev.tarn.memtable..",
                            "dev.tarn.sst..",
                            "dev.tarn.engine..");
}
