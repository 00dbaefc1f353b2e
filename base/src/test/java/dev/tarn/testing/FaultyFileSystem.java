package dev.tarn.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.tarn.io.FileLock;
import dev.tarn.io.FileNames;
import dev.tarn.io.FileSystem;
import dev.tarn.io.LockedException;
import dev.tarn.io.OutOfSpaceException;
import dev.tarn.io.ReadableFile;
import dev.tarn.io.WritableFile;
import dev.tarn.memory.ClosedException;
import dev.tarn.memory.OffHeapMemory;
import dev.tarn.testing.FileCall.Operation;
import dev.tarn.testing.FileNode.Directory;
import dev.tarn.testing.FileNode.Regular;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Files in memory that fail as disks and machines do.
 *
 * <p>It keeps what is visible apart from what is durable. {@link #crash} ends it and returns the
 * files that the next start finds: what {@link WritableFile#sync} and {@link #syncDirectory} made
 * durable, and of the rest nothing, everything, or a random part. Rules ({@link #fail}) make calls
 * fail, hang or damage what is read; {@link #limitSpace} fills the disk; {@link #crashAtChange}
 * stops everything at one call, and {@link CrashPoints} goes through all of them.
 *
 * <p>Durability of names is as strict as the contract of {@link FileSystem} allows: each unsynced
 * creation, link, rename and deletion is lost or kept on its own. Only a rename between directories
 * never loses the file: syncing the source makes the name in the target durable too.
 *
 * <p>Lifetime: ends with {@link #crash}; then, and after {@link #crashAtChange} has struck, every
 * call throws {@link CrashedException}.
 *
 * <p>Threads: safe. Rules run on the calling thread, outside all locks.
 */
public final class FaultyFileSystem implements FileSystem {
    /** What happens to that which is not durable. */
    public enum Crash {
        /** Only the process ends: all is visible to the next one, and still not durable. */
        PROCESS_KILLED,
        /** The power fails, and nothing that was not synced had reached the disk. */
        UNSYNCED_LOST,
        /**
         * The power fails, and a random part had reached the disk: any set of the changes of names;
         * of each file nothing, everything, the first bytes, or some sectors.
         */
        UNSYNCED_TORN
    }

    /** Thrown by every call to a file system that has crashed. */
    public static final class CrashedException extends IOException {
        private static final long serialVersionUID = 1L;

        CrashedException() {
            super("the file system has crashed");
        }
    }

    private static final long UNLIMITED_BYTES = 1L << 50;

    private final FileTree tree;
    private final ReentrantLock mutex = new ReentrantLock();
    private final FaultRules rules = new FaultRules();

    @GuardedBy("mutex")
    private final Set<Handle> handles = new HashSet<>();

    @GuardedBy("mutex")
    private final Map<Regular, String> lockHolders = new HashMap<>();

    @GuardedBy("mutex")
    private final List<FileCall> trace = new ArrayList<>();

    @GuardedBy("mutex")
    private boolean tracing;

    @GuardedBy("mutex")
    private long callCount;

    @GuardedBy("mutex")
    private long changeCount;

    @GuardedBy("mutex")
    private long crashChange = -1;

    @GuardedBy("mutex")
    private boolean crashed;

    @GuardedBy("mutex")
    private long capacityBytes = UNLIMITED_BYTES;

    @GuardedBy("mutex")
    private long usedBytes;

    /** Creates an empty file system that does not fail. */
    public FaultyFileSystem() {
        this(new Directory());
    }

    private FaultyFileSystem(Directory root) {
        this.tree = new FileTree(root);
        this.usedBytes = tree.countUses();
    }

    /** Makes every call that a condition holds for fail. */
    public FaultyFileSystem fail(Predicate<FileCall> when, FileFault fault) {
        return fail(Integer.MAX_VALUE, when, fault);
    }

    /** Makes the first {@code strikesMax} calls that a condition holds for fail. */
    public FaultyFileSystem fail(int strikesMax, Predicate<FileCall> when, FileFault fault) {
        rules.add(strikesMax, when, fault);
        return this;
    }

    /** Flips one bit in what each matching read returns; the stored bytes stay whole. */
    public FaultyFileSystem flipBitsOnRead(Predicate<FileCall> when, RandomSource random) {
        rules.addReadDamage(when, random);
        return this;
    }

    /** Ends all rules; space and crash points stay. */
    public void heal() {
        rules.clear();
    }

    /** Lets the disk hold this many bytes of file contents. */
    public void limitSpace(long capacityBytes) {
        mutex.lock();
        try {
            this.capacityBytes = capacityBytes;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns how many bytes all files have that have a name or are open. */
    public long usedBytes() {
        mutex.lock();
        try {
            return usedBytes;
        } finally {
            mutex.unlock();
        }
    }

    /** Stops the machine before the call with this {@link FileCall#change} takes effect. */
    public void crashAtChange(long change) {
        mutex.lock();
        try {
            crashChange = change;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns whether it has crashed. */
    public boolean isCrashed() {
        mutex.lock();
        try {
            return crashed;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Ends this file system and returns what the next start finds. May be called again, for the
     * outcome of another mode or another choice at the same moment.
     *
     * @param random what the outcome of {@link Crash#UNSYNCED_TORN} follows from
     */
    public FaultyFileSystem crash(Crash mode, RandomSource random) {
        mutex.lock();
        try {
            crashed = true;
            handles.forEach(OpenHandles::closed);
            handles.clear();
            return new FaultyFileSystem(new Survivors(mode, random).of(tree.root()));
        } finally {
            mutex.unlock();
        }
    }

    /** Flips one bit of a stored file, in what is visible and what is durable. */
    public void flipBit(String name, long position, int bit) throws IOException {
        mutex.lock();
        try {
            tree.regular(name).flipBit((int) position, bit);
        } finally {
            mutex.unlock();
        }
    }

    /** Cuts a stored file, or lengthens it with zeros, in what is visible and what is durable. */
    public void resize(String name, long sizeBytes) throws IOException {
        mutex.lock();
        try {
            Regular file = tree.regular(name);
            usedBytes += sizeBytes - file.size();
            file.resize((int) sizeBytes);
        } finally {
            mutex.unlock();
        }
    }

    /** Records calls from now on. */
    public void startTrace() {
        mutex.lock();
        try {
            trace.clear();
            tracing = true;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the calls since {@link #startTrace}, in the order they began. */
    public List<FileCall> trace() {
        mutex.lock();
        try {
            return List.copyOf(trace);
        } finally {
            mutex.unlock();
        }
    }

    /** Returns how many calls began. */
    public long callCount() {
        mutex.lock();
        try {
            return callCount;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns how many calls began that change something: see {@link FileCall#change}. */
    public long changeCount() {
        mutex.lock();
        try {
            return changeCount;
        } finally {
            mutex.unlock();
        }
    }

    private FileCall begin(Operation operation, String name) throws IOException {
        return begin(operation, name, "", 0, 0);
    }

    private FileCall begin(
            Operation operation, String name, String target, long position, int length)
            throws IOException {
        FileCall call;
        mutex.lock();
        try {
            checkAlive();
            long change = operation.changes() ? changeCount++ : -1;
            call = new FileCall(callCount++, change, operation, name, target, position, length);
            if (tracing) {
                trace.add(call);
            }
            if (change >= 0 && change == crashChange) {
                crashed = true;
            }
            checkAlive();
        } finally {
            mutex.unlock();
        }
        rules.strike(call);
        return call;
    }

    @GuardedBy("mutex")
    private void checkAlive() throws CrashedException {
        if (crashed) {
            throw new CrashedException();
        }
    }

    /** Begins the effect of a call, which the caller ends by {@code mutex.unlock()}. */
    private void lockAlive() throws CrashedException {
        mutex.lock();
        boolean alive = false;
        try {
            checkAlive();
            alive = true;
        } finally {
            if (!alive) {
                mutex.unlock();
            }
        }
    }

    @GuardedBy("mutex")
    private void release(FileNode node) {
        if (node instanceof Regular file && --file.uses == 0) {
            usedBytes -= file.size();
        }
    }

    @GuardedBy("mutex")
    private <H extends Handle> H opened(H handle) {
        handle.file.uses++;
        handles.add(handle);
        OpenHandles.opened(handle, handle.toString());
        return handle;
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        begin(Operation.OPEN, FileNames.checkNotRoot(name));
        lockAlive();
        try {
            return opened(new OpenReadable(name, tree.regular(name)));
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public WritableFile create(String name) throws IOException {
        begin(Operation.CREATE, FileNames.checkNotRoot(name));
        lockAlive();
        try {
            return opened(new OpenWritable(name, tree.create(name)));
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public WritableFile openForAppend(String name) throws IOException {
        begin(Operation.OPEN_FOR_APPEND, FileNames.checkNotRoot(name));
        lockAlive();
        try {
            return opened(new OpenWritable(name, tree.regular(name)));
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void link(String existing, String name) throws IOException {
        FileNames.checkNotRoot(existing);
        begin(Operation.LINK, existing, FileNames.checkNotRoot(name), 0, 0);
        lockAlive();
        try {
            Regular file = tree.regular(existing);
            Directory parent = tree.parentOf(name);
            if (tree.find(name) != null) {
                throw new FileAlreadyExistsException(name);
            }
            file.uses++;
            parent.add(FileNames.last(name), file);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void rename(String source, String target) throws IOException {
        FileNames.checkNotRoot(source);
        begin(Operation.RENAME, source, FileNames.checkNotRoot(target), 0, 0);
        lockAlive();
        try {
            Regular file = tree.regular(source);
            Directory to = tree.parentOf(target);
            FileNode replaced = tree.find(target);
            if (replaced instanceof Directory) {
                throw new FileSystemException(target, null, "is not a file");
            }
            if (replaced == file) {
                // Two names of one file: POSIX does nothing then.
                return;
            }
            tree.parentOf(source).rename(FileNames.last(source), to, FileNames.last(target), file);
            if (replaced != null) {
                release(replaced);
            }
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void delete(String name) throws IOException {
        begin(Operation.DELETE, FileNames.checkNotRoot(name));
        lockAlive();
        try {
            FileNode node = tree.find(name);
            if (node == null) {
                throw new NoSuchFileException(name);
            }
            if (node instanceof Directory directory && !directory.names.isEmpty()) {
                throw new DirectoryNotEmptyException(name);
            }
            tree.parentOf(name).remove(FileNames.last(name));
            release(node);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public List<String> list(String directory) throws IOException {
        begin(Operation.LIST, FileNames.check(directory));
        lockAlive();
        try {
            return new ArrayList<>(tree.directory(directory).names.keySet());
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public boolean exists(String name) throws IOException {
        begin(Operation.EXISTS, FileNames.check(name));
        lockAlive();
        try {
            return tree.find(name) != null;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public boolean isDirectory(String name) throws IOException {
        begin(Operation.IS_DIRECTORY, FileNames.check(name));
        lockAlive();
        try {
            return tree.find(name) instanceof Directory;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public long size(String name) throws IOException {
        begin(Operation.SIZE, FileNames.checkNotRoot(name));
        lockAlive();
        try {
            return tree.regular(name).size();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void createDirectories(String directory) throws IOException {
        begin(Operation.CREATE_DIRECTORIES, FileNames.check(directory));
        lockAlive();
        try {
            Directory above = tree.root();
            for (String part : directory.isEmpty() ? new String[0] : directory.split("/", -1)) {
                FileNode node = above.names.get(part);
                if (node instanceof Regular) {
                    throw new FileAlreadyExistsException(directory, null, "is a file: " + part);
                }
                Directory next = node == null ? new Directory() : (Directory) node;
                if (node == null) {
                    above.add(part, next);
                }
                above = next;
            }
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void syncDirectory(String directory) throws IOException {
        begin(Operation.SYNC_DIRECTORY, FileNames.check(directory));
        lockAlive();
        try {
            tree.directory(directory).sync();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public FileLock lock(String name, String holder) throws IOException {
        begin(Operation.LOCK, FileNames.checkNotRoot(name));
        lockAlive();
        try {
            Regular file = tree.find(name) == null ? tree.create(name) : tree.regular(name);
            String other = lockHolders.putIfAbsent(file, holder);
            if (other != null) {
                throw new LockedException(
                        "lock is held: file=" + describe(name) + " holder=" + other);
            }
            return opened(new HeldLock(name, file));
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public long usableSpaceBytes(String directory) throws IOException {
        begin(Operation.USABLE_SPACE, FileNames.check(directory));
        lockAlive();
        try {
            tree.directory(directory);
            return Math.max(0, capacityBytes - usedBytes);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public FileSystem directory(String directory) {
        return FileNames.check(directory).isEmpty() ? this : new SubtreeView(this, directory);
    }

    @Override
    public String describe(String name) {
        return "memory:/" + FileNames.check(name);
    }

    @Override
    public String toString() {
        return "FaultyFileSystem";
    }

    /** Something open; closed once, or by the crash. */
    private abstract class Handle {
        final String name;
        final Regular file;

        Handle(String name, Regular file) {
            this.name = name;
            this.file = file;
        }

        /** Begins the effect of a call, which the caller ends by {@code mutex.unlock()}. */
        void lockOpen() throws IOException {
            lockAlive();
            boolean open = false;
            try {
                open = handles.contains(this);
            } finally {
                if (!open) {
                    mutex.unlock();
                }
            }
            if (!open) {
                throw new ClosedException("file is closed: file=" + fullName());
            }
        }

        String fullName() {
            return FaultyFileSystem.this.describe(name);
        }

        void closeOnce() throws IOException {
            begin(Operation.CLOSE, name);
            lockOpen();
            try {
                handles.remove(this);
                OpenHandles.closed(this);
                if (this instanceof HeldLock) {
                    lockHolders.remove(file);
                }
                release(file);
            } finally {
                mutex.unlock();
            }
        }

        @Override
        public String toString() {
            return getClass().getSimpleName() + "[" + fullName() + "]";
        }
    }

    private final class HeldLock extends Handle implements FileLock {
        HeldLock(String name, Regular file) {
            super(name, file);
        }

        @Override
        public void close() throws IOException {
            closeOnce();
        }
    }

    private final class OpenReadable extends Handle implements ReadableFile {
        private final long sizeBytes;

        OpenReadable(String name, Regular file) {
            super(name, file);
            this.sizeBytes = file.size();
        }

        @Override
        public String describe() {
            return fullName();
        }

        @Override
        public void close() throws IOException {
            closeOnce();
        }

        @Override
        public void read(long position, OffHeapMemory target, int targetOffset, int length)
                throws IOException {
            FileChecks.readRange(describe(), position, target, targetOffset, length);
            FileCall call = begin(Operation.READ, name, "", position, length);
            byte[] bytes = new byte[length];
            lockOpen();
            try {
                FileChecks.end(describe(), position, length, file.size());
                if (length > 0) {
                    file.read((int) position, bytes);
                }
            } finally {
                mutex.unlock();
            }
            rules.damage(call, bytes);
            target.putBytes(targetOffset, bytes, 0, length);
        }

        @Override
        public long size() {
            return sizeBytes;
        }
    }

    private final class OpenWritable extends Handle implements WritableFile {
        /**
         * As {@link WritableFile#size} counts: without what a full disk kept of a failed append.
         */
        private long sizeBytes;

        OpenWritable(String name, Regular file) {
            super(name, file);
            this.sizeBytes = file.size();
        }

        @Override
        public String describe() {
            return fullName();
        }

        @Override
        public void close() throws IOException {
            closeOnce();
        }

        @Override
        public void append(OffHeapMemory source, int sourceOffset, int length) throws IOException {
            put(sizeBytes, source, sourceOffset, length);
            sizeBytes += length;
        }

        @Override
        public void write(long position, OffHeapMemory source, int sourceOffset, int length)
                throws IOException {
            if (position < 0 || position > sizeBytes) {
                throw new IllegalArgumentException(
                        "position must be in [0, " + sizeBytes + "]: position=" + position);
            }
            put(position, source, sourceOffset, length);
            sizeBytes = Math.max(sizeBytes, position + length);
        }

        private void put(long position, OffHeapMemory source, int sourceOffset, int length)
                throws IOException {
            byte[] bytes = new byte[length];
            source.getBytes(sourceOffset, bytes, 0, length);
            begin(Operation.WRITE, name, "", position, length);
            lockOpen();
            try {
                long growth = Math.max(0, position + length - file.size());
                long free = Math.max(0, capacityBytes - usedBytes);
                if (growth > free) {
                    // As on a disk, what fits is written; it does not count.
                    int fitting = (int) (length - (growth - free));
                    store(position, Arrays.copyOf(bytes, fitting));
                    throw new OutOfSpaceException(
                            "device is full: file="
                                    + describe()
                                    + " capacityBytes="
                                    + capacityBytes);
                }
                store(position, bytes);
            } finally {
                mutex.unlock();
            }
        }

        @GuardedBy("mutex")
        private void store(long position, byte[] bytes) {
            int before = file.size();
            file.write(Math.toIntExact(position), bytes);
            usedBytes += file.size() - before;
        }

        @Override
        public long size() {
            return sizeBytes;
        }

        @Override
        public void sync() throws IOException {
            try {
                begin(Operation.SYNC, name);
            } catch (FileFault.DroppingSyncException e) {
                lockOpen();
                try {
                    file.dropUnsynced();
                } finally {
                    mutex.unlock();
                }
                throw e;
            }
            lockOpen();
            try {
                file.sync();
            } finally {
                mutex.unlock();
            }
        }
    }
}
