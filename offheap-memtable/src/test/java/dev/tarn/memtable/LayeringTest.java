package dev.tarn.memtable;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The memtable stands on base alone. */
@AnalyzeClasses(
        packages = "dev.tarn.memtable",
        importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {
    @ArchTest
    static final ArchRule memtableKnowsBaseOnly =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.tarn.memtable",
                            "dev.tarn.memory",
                            "dev.tarn.codec",
                            "java.lang..",
                            "java.util..",
                            "org.jspecify.annotations",
                            "com.google.errorprone.annotations..");

    @ArchTest
    static final ArchRule memoryIsReachedThroughOffHeapMemory =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .haveNameMatching("java\\.lang\\.invoke\\.VarHandle|org\\.agrona\\..*");
}
