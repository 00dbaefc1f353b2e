package dev.tarn.engine.internal.version;

import dev.tarn.codec.CorruptDataException;
import dev.tarn.engine.internal.io.RecordBuffer;
import dev.tarn.engine.internal.io.RecordReader;
import dev.tarn.engine.internal.io.RecordWriter;
import dev.tarn.io.FileSystem;
import dev.tarn.memory.MemoryAccountant;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The versions of a tree on disk: a manifest starts with a whole version and goes on with edits.
 *
 * <p>When the edits have grown beyond the version they start from, and whenever the log is opened,
 * a new manifest is written and becomes the one that counts. So a commit costs the size of its
 * edit, a torn tail is never appended to, and the log stays proportional to the tree.
 *
 * <p>Owner: owns the manifest; whoever opened the log closes it, once. Tables belong to the caller,
 * who syncs them before an edit adds them, and deletes them after an edit has removed them.
 *
 * <p>Threads: belongs to one thread at a time; {@link #version()} may be called by any.
 *
 * <p>Errors: when writing fails, nobody knows whether the edit will be there after a crash; either
 * way the tree is consistent, as long as no file of either version is deleted. The log refuses
 * further edits until {@link #restart} has written a new manifest.
 */
public final class ManifestLog implements AutoCloseable {
    /** "TARNMANI" in ASCII, read as a little-endian number. */
    static final long MAGIC = 0x494e414d4e524154L;

    static final int TYPE_SNAPSHOT = 1;
    static final int TYPE_EDIT = 2;

    /** Below this size a new manifest is not worth its two syncs. */
    private static final long ROLL_SIZE_MIN = 256 << 10;

    /** Edits may take so many times the space of the version they start from. */
    private static final int ROLL_FACTOR = 4;

    private static final int KEPT_BUFFER_SIZE = 64 << 10;

    /** Takes the records of a manifest, in order. */
    @FunctionalInterface
    public interface RecordVisitor {
        /**
         * Takes a record.
         *
         * @param position of the record in the file
         * @param isSnapshot whether it is a whole version: an edit of {@link Version#EMPTY}
         */
        void visit(long position, boolean isSnapshot, VersionEdit edit);
    }

    private final FileSystem fileSystem;
    private final MemoryAccountant accountant;
    private final RecordBuffer buffer;
    private final long rollSizeMin;

    private volatile Version version;
    private long number;
    private @Nullable RecordWriter writer;
    private long rollSize;
    private boolean failed;
    private final AtomicLong undeletedCount = new AtomicLong();

    private ManifestLog(
            FileSystem fileSystem,
            MemoryAccountant accountant,
            long rollSizeMin,
            Version version,
            long number) {
        this.fileSystem = fileSystem;
        this.accountant = accountant;
        this.rollSizeMin = rollSizeMin;
        this.version = version;
        this.number = number;
        this.buffer = new RecordBuffer(accountant);
    }

    /**
     * Opens the log of a directory, which may be empty, for writing.
     *
     * @param fileSystem whose root is the directory; the caller holds its lock
     * @throws CorruptDataException if what the directory holds is damaged
     * @throws dev.tarn.codec.UnsupportedFormatException if a later release wrote it
     */
    public static ManifestLog open(FileSystem fileSystem, MemoryAccountant accountant)
            throws IOException {
        return open(fileSystem, accountant, ROLL_SIZE_MIN);
    }

    static ManifestLog open(FileSystem fileSystem, MemoryAccountant accountant, long rollSizeMin)
            throws IOException {
        Version version = read(fileSystem, accountant);
        List<Long> existing = ManifestFiles.list(fileSystem);
        long last = existing.stream().mapToLong(number -> number).max().orElse(0);
        ManifestLog log = new ManifestLog(fileSystem, accountant, rollSizeMin, version, last);
        try {
            log.restart();
        } catch (IOException | RuntimeException e) {
            log.buffer.close();
            throw e;
        }
        existing.forEach(log::deleteManifest);
        return log;
    }

    /** Returns the last version of a directory, changing nothing; that of an empty one is empty. */
    public static Version read(FileSystem fileSystem, MemoryAccountant accountant)
            throws IOException {
        if (!fileSystem.exists(ManifestFiles.CURRENT)) {
            checkNothingWasCommitted(fileSystem, accountant);
            return Version.EMPTY;
        }
        long number = ManifestFiles.readCurrent(fileSystem, accountant);
        try {
            return readManifest(fileSystem, number, accountant);
        } catch (NoSuchFileException e) {
            throw new CorruptDataException(
                    "manifest is missing: file="
                            + fileSystem.describe(ManifestFiles.name(number))
                            + " namedBy="
                            + fileSystem.describe(ManifestFiles.CURRENT),
                    e);
        }
    }

    /** Shows every record of a manifest, whether it counts or not; returns the last version. */
    public static Version visit(
            FileSystem fileSystem, String name, MemoryAccountant accountant, RecordVisitor visitor)
            throws IOException {
        long number =
                ManifestFiles.number(name)
                        .orElseThrow(
                                () -> new IllegalArgumentException("no manifest: name=" + name));
        Version version = null;
        try (RecordReader reader = RecordReader.open(fileSystem, name, MAGIC, number, accountant)) {
            while (reader.next()) {
                boolean isSnapshot = reader.type() == TYPE_SNAPSHOT;
                if (!isSnapshot && (reader.type() != TYPE_EDIT || version == null)) {
                    throw reader.corrupt("record type is not expected here", null);
                }
                VersionEdit edit = VersionEditCodec.decode(reader);
                try {
                    version = (version == null || isSnapshot ? Version.EMPTY : version).apply(edit);
                } catch (IllegalArgumentException e) {
                    throw reader.corrupt(String.valueOf(e.getMessage()), e);
                }
                visitor.visit(reader.position(), isSnapshot, edit);
            }
            if (version == null) {
                throw new CorruptDataException(
                        "manifest has no version: file=" + reader.describe() + " offset=0");
            }
        }
        return version;
    }

    private static Version readManifest(
            FileSystem fileSystem, long number, MemoryAccountant accountant) throws IOException {
        return visit(
                fileSystem,
                ManifestFiles.name(number),
                accountant,
                (position, isSnapshot, edit) -> {});
    }

    /**
     * A directory without {@code CURRENT} is new, or its first manifest did not come to count. If a
     * manifest says more, {@code CURRENT} was lost, and starting empty would lose the data.
     */
    private static void checkNothingWasCommitted(FileSystem fileSystem, MemoryAccountant accountant)
            throws IOException {
        for (long number : ManifestFiles.list(fileSystem)) {
            if (!isEmptyOrTorn(fileSystem, number, accountant)) {
                throw new CorruptDataException(
                        "file is missing, but a manifest exists: file="
                                + fileSystem.describe(ManifestFiles.CURRENT)
                                + " manifest="
                                + ManifestFiles.name(number));
            }
        }
    }

    private static boolean isEmptyOrTorn(
            FileSystem fileSystem, long number, MemoryAccountant accountant) throws IOException {
        try (RecordReader reader =
                RecordReader.open(
                        fileSystem, ManifestFiles.name(number), MAGIC, number, accountant)) {
            if (!reader.next()) {
                return true;
            }
            Version first = Version.EMPTY.apply(VersionEditCodec.decode(reader));
            return first.runs().isEmpty() && first.lastSequence() == 0 && !reader.next();
        }
    }

    /** The version that the last edit made. */
    public Version version() {
        return version;
    }

    /** The name of the manifest that counts. */
    public String manifestName() {
        return ManifestFiles.name(number);
    }

    /**
     * Makes an edit durable and returns the version it makes.
     *
     * @throws IllegalArgumentException if the edit does not fit the version; nothing is written
     */
    public Version append(VersionEdit edit) throws IOException {
        if (failed) {
            throw new IOException(
                    "manifest is unusable after a failed write: file="
                            + fileSystem.describe(manifestName()));
        }
        Version next = version.apply(edit);
        RecordWriter current = writer;
        // Before the edit: were the roll to fail behind it, the edit would count all the same.
        if (current == null || current.size() > rollSize) {
            restart();
            current = Objects.requireNonNull(writer);
        }
        failed = true;
        VersionEditCodec.encode(edit, buffer.clear(KEPT_BUFFER_SIZE));
        current.append(TYPE_EDIT, buffer);
        current.sync();
        failed = false;
        version = next;
        return next;
    }

    /**
     * Writes the version to a new manifest and makes that the one that counts; after a failure this
     * is what makes the log usable again.
     */
    public void restart() throws IOException {
        // Until CURRENT is known to name the new manifest, an edit in the old one may not count.
        failed = true;
        number++;
        RecordWriter next =
                RecordWriter.create(
                        fileSystem, "", ManifestFiles.name(number), MAGIC, number, accountant);
        try {
            VersionEditCodec.encode(version.toEdit(), buffer.clear(KEPT_BUFFER_SIZE));
            next.append(TYPE_SNAPSHOT, buffer);
            next.sync();
            ManifestFiles.writeCurrent(fileSystem, number, accountant);
        } catch (IOException | RuntimeException e) {
            try {
                next.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        RecordWriter last = writer;
        writer = next;
        rollSize = Math.max(rollSizeMin, ROLL_FACTOR * next.size());
        failed = false;
        if (last != null) {
            discard(last);
        }
    }

    /** What fails here leaves an orphan, and must not fail the edit that comes next. */
    private void discard(RecordWriter last) {
        try (last) {
            deleteManifest(last.fileNumber());
        } catch (IOException e) {
            undeletedCount.incrementAndGet();
        }
    }

    private void deleteManifest(long number) {
        try {
            fileSystem.delete(ManifestFiles.name(number));
        } catch (IOException e) {
            undeletedCount.incrementAndGet();
        }
    }

    /** How many manifests that no longer count could not be deleted; they are orphans. */
    public long undeletedCount() {
        return undeletedCount.get();
    }

    /**
     * Returns the files of the directory that nothing needs: tables that the version does not name,
     * and manifests that do not count. Files of other kinds are nobody's orphans.
     *
     * <p>Call it before tables are written, which no version names yet.
     *
     * @param needed further tables, such as those that snapshots hold
     */
    public List<String> orphans(Collection<String> needed) throws IOException {
        Set<String> named = new HashSet<>(needed);
        version.tables().forEach(table -> named.add(table.name()));
        List<String> orphans = new ArrayList<>();
        for (String name : fileSystem.list("")) {
            boolean isTable = name.endsWith(".sst") || name.endsWith(".sst.tmp");
            boolean isManifest =
                    ManifestFiles.number(name).isPresent()
                            || name.equals(ManifestFiles.CURRENT_TEMPORARY);
            if ((isTable && !named.contains(name))
                    || (isManifest && !name.equals(manifestName()))) {
                orphans.add(name);
            }
        }
        return orphans;
    }

    /** Marks the end of the manifest and closes it. */
    @Override
    public void close() throws IOException {
        buffer.close();
        RecordWriter current = writer;
        if (current == null) {
            return;
        }
        try (current) {
            if (!failed) {
                current.seal();
            }
        }
    }
}
