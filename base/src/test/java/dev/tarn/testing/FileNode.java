package dev.tarn.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A file or directory of a {@link FaultyFileSystem}: what is there, and what is durable of it. */
abstract sealed class FileNode {

    /** Bytes that grow. */
    private static final class Content {
        byte[] bytes = new byte[0];
        int size;

        Content copy() {
            Content copy = new Content();
            copy.bytes = Arrays.copyOf(bytes, size);
            copy.size = size;
            return copy;
        }

        void put(int position, byte[] source, int length) {
            int end = Math.addExact(position, length);
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, Math.max(64, bytes.length * 2)));
            }
            System.arraycopy(source, 0, bytes, position, length);
            size = Math.max(size, end);
        }

        void resize(int newSize) {
            if (newSize < size) {
                Arrays.fill(bytes, newSize, size, (byte) 0);
            } else if (newSize > bytes.length) {
                bytes = Arrays.copyOf(bytes, newSize);
            }
            size = newSize;
        }
    }

    /** A write that no sync has covered. */
    private static final class Write {
        final int position;
        final byte[] bytes;

        Write(int position, byte[] bytes) {
            this.position = position;
            this.bytes = bytes;
        }
    }

    /** A file: its content, the part that is durable, and the writes between the two. */
    static final class Regular extends FileNode {
        /** What a disk writes at once, at most. */
        private static final int SECTOR_BYTES = 512;

        private Content current = new Content();
        private Content durable = new Content();
        private final List<Write> unsynced = new ArrayList<>();

        /** Names plus open handles; the space is free when none is left. */
        int uses;

        int size() {
            return current.size;
        }

        void write(int position, byte[] bytes) {
            current.put(position, bytes, bytes.length);
            unsynced.add(new Write(position, bytes));
        }

        void read(int position, byte[] target) {
            System.arraycopy(current.bytes, position, target, 0, target.length);
        }

        void sync() {
            unsynced.forEach(write -> durable.put(write.position, write.bytes, write.bytes.length));
            unsynced.clear();
        }

        /** What was written stays readable and is never written to disk. */
        void dropUnsynced() {
            unsynced.clear();
        }

        /** Damage at rest: hits what is durable as well. */
        void flipBit(int position, int bit) {
            current.bytes[position] ^= (byte) (1 << bit);
            if (position < durable.size) {
                durable.bytes[position] ^= (byte) (1 << bit);
            }
        }

        void resize(int size) {
            sync();
            current.resize(size);
            durable.resize(size);
        }

        Regular afterKill() {
            Regular copy = new Regular();
            copy.current = current.copy();
            copy.durable = durable.copy();
            copy.unsynced.addAll(unsynced);
            return copy;
        }

        Regular afterPowerCut(@Nullable RandomSource random) {
            Regular survivor = new Regular();
            survivor.durable = durable.copy();
            if (random != null && !unsynced.isEmpty()) {
                switch (random.nextInt(4)) {
                    case 0 -> {}
                    case 1 -> unsynced.forEach(w -> survivor.apply(w, w.bytes.length));
                    case 2 -> keepPrefix(survivor, random);
                    default -> keepSectors(survivor, random);
                }
            }
            survivor.current = survivor.durable.copy();
            return survivor;
        }

        private void apply(Write write, int length) {
            durable.put(write.position, write.bytes, length);
        }

        /** The first bytes that were written arrived; the last of them may be cut. */
        private void keepPrefix(Regular survivor, RandomSource random) {
            long total = unsynced.stream().mapToLong(write -> write.bytes.length).sum();
            long left = random.between(0, total + 1);
            for (Write write : unsynced) {
                int length = (int) Math.min(left, write.bytes.length);
                survivor.apply(write, length);
                left -= length;
                if (left == 0) {
                    return;
                }
            }
        }

        /** Some sectors arrived, and the size perhaps without its data, which is zero then. */
        private void keepSectors(Regular survivor, RandomSource random) {
            Content all = durable.copy();
            unsynced.forEach(write -> all.put(write.position, write.bytes, write.bytes.length));
            int oldSize = durable.size;
            int newSize =
                    switch (random.nextInt(3)) {
                        case 0 -> oldSize;
                        case 1 -> all.size;
                        default -> random.between(oldSize, all.size + 1);
                    };
            survivor.durable.resize(newSize);
            for (int at = 0; at < newSize; at += SECTOR_BYTES) {
                int length = Math.min(SECTOR_BYTES, newSize - at);
                if (random.nextBoolean()) {
                    System.arraycopy(all.bytes, at, survivor.durable.bytes, at, length);
                }
            }
        }
    }

    /** A change of names that no sync of the directory has covered; whole or not at all. */
    static final class Change {
        private final @Nullable String removed;
        private final @Nullable String added;
        private final @Nullable FileNode node;

        /**
         * The other half of a rename from one directory to another, without which a file is lost.
         */
        private final @Nullable Change required;

        private final @Nullable Directory requiredDirectory;

        private Change(
                @Nullable String removed,
                @Nullable String added,
                @Nullable FileNode node,
                @Nullable Change required,
                @Nullable Directory requiredDirectory) {
            this.removed = removed;
            this.added = added;
            this.node = node;
            this.required = required;
            this.requiredDirectory = requiredDirectory;
        }

        void apply(Map<String, FileNode> names) {
            if (removed != null) {
                names.remove(removed);
            }
            if (added != null && node != null) {
                names.put(added, node);
            }
        }

        /** Returns the other half if that is not durable yet. */
        @Nullable Change pendingRequirement() {
            Directory other = requiredDirectory;
            return other != null && other.unsynced.contains(required) ? required : null;
        }

        Change copy(UnaryOperator<FileNode> nodes, UnaryOperator<Change> changes) {
            return new Change(
                    removed,
                    added,
                    node == null ? null : nodes.apply(node),
                    required == null ? null : changes.apply(required),
                    requiredDirectory == null ? null : (Directory) nodes.apply(requiredDirectory));
        }
    }

    /** A directory: its names, those that are durable, and the changes between the two. */
    static final class Directory extends FileNode {
        final TreeMap<String, FileNode> names = new TreeMap<>();
        final TreeMap<String, FileNode> durableNames = new TreeMap<>();
        final List<Change> unsynced = new ArrayList<>();

        void add(String name, FileNode node) {
            change(new Change(null, name, node, null, null));
        }

        void remove(String name) {
            change(new Change(name, null, null, null, null));
        }

        void rename(String source, Directory targetDirectory, String target, FileNode node) {
            if (targetDirectory == this) {
                change(new Change(source, target, node, null, null));
            } else {
                Change arrival = new Change(null, target, node, null, null);
                targetDirectory.change(arrival);
                change(new Change(source, null, null, arrival, targetDirectory));
            }
        }

        private void change(Change change) {
            change.apply(names);
            unsynced.add(change);
        }

        void sync() {
            syncUpTo(unsynced.size());
        }

        private void syncUpTo(int count) {
            List<Change> synced = new ArrayList<>(unsynced.subList(0, count));
            unsynced.subList(0, count).clear();
            for (Change change : synced) {
                if (change.requiredDirectory != null && change.required != null) {
                    Directory other = change.requiredDirectory;
                    other.syncUpTo(other.unsynced.indexOf(change.required) + 1);
                }
                change.apply(durableNames);
            }
        }
    }
}
