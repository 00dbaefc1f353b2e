package dev.tarn;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.tarn.codec.Hash64;
import java.lang.invoke.MethodHandles;

/** The directions of dependencies within base, and what may touch raw memory and files. */
@AnalyzeClasses(packages = "dev.tarn", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {
    @ArchTest
    static final ArchRule onlyMemoryTouchesAddresses =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.tarn.memory..")
                    .should()
                    .dependOnClassesThat()
                    .haveNameMatching(
                            "(sun|jdk\\.internal)\\.misc\\.Unsafe"
                                    + "|org\\.agrona\\.UnsafeApi"
                                    + "|org\\.agrona\\..*Buffer"
                                    + "|java\\.lang\\.foreign\\..*");

    /** The hash reads heap arrays, which are no memory of ours, as fast as it reads off-heap. */
    @ArchTest
    static final ArchRule onlyMemoryMakesViewsOfBytes =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.tarn.memory..")
                    .and()
                    .doNotBelongToAnyOf(Hash64.class)
                    .should()
                    .callMethodWhere(
                            target(owner(HasName.Predicates.name(MethodHandles.class.getName())))
                                    .and(target(nameMatching("byte(Buffer|Array)ViewVarHandle"))));

    @ArchTest
    static final ArchRule memoryIsTheLowest =
            noClasses()
                    .that()
                    .resideInAPackage("dev.tarn.memory..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.tarn.codec..", "dev.tarn.io..");

    @ArchTest
    static final ArchRule filesKnowNoFormats =
            noClasses()
                    .that()
                    .resideInAPackage("dev.tarn.io..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("dev.tarn.codec..");

    @ArchTest
    static final ArchRule onlyIoReachesFilesOfTheMachine =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.tarn.io..")
                    .should()
                    .dependOnClassesThat()
                    .haveNameMatching(
                            "java\\.io\\.(File|File(In|Out)putStream|RandomAccessFile)"
                                    + "|java\\.nio\\.file\\..*"
                                    + "|java\\.nio\\.channels\\..*File.*");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.tarn.(*)..").should().beFreeOfCycles();
}
