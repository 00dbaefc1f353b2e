package dev.tarn.testing;

import dev.tarn.testing.FaultyFileSystem.Crash;
import dev.tarn.testing.FileNode.Change;
import dev.tarn.testing.FileNode.Directory;
import dev.tarn.testing.FileNode.Regular;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Copies a tree as a crash leaves it; the original stays as it is. */
final class Survivors {
    private final Crash crash;

    /** Null where nothing is left to chance. */
    private final @Nullable RandomSource random;

    private final Map<FileNode, FileNode> copies = new HashMap<>();
    private final Map<Change, Change> copiedChanges = new HashMap<>();
    private final Map<Change, Boolean> kept = new HashMap<>();

    Survivors(Crash crash, RandomSource random) {
        this.crash = crash;
        this.random = crash == Crash.UNSYNCED_TORN ? random : null;
    }

    Directory of(Directory directory) {
        return (Directory) copy(directory);
    }

    private FileNode copy(FileNode node) {
        FileNode known = copies.get(node);
        if (known != null) {
            return known;
        }
        if (node instanceof Regular file) {
            Regular copy =
                    crash == Crash.PROCESS_KILLED ? file.afterKill() : file.afterPowerCut(random);
            copies.put(node, copy);
            return copy;
        }
        Directory directory = (Directory) node;
        Directory copy = new Directory();
        copies.put(node, copy);
        if (crash == Crash.PROCESS_KILLED) {
            directory.names.forEach((name, child) -> copy.names.put(name, copy(child)));
            directory.durableNames.forEach(
                    (name, child) -> copy.durableNames.put(name, copy(child)));
            directory.unsynced.forEach(change -> copy.unsynced.add(copy(change)));
        } else {
            TreeMap<String, FileNode> names = new TreeMap<>(directory.durableNames);
            directory.unsynced.stream().filter(this::isKept).forEach(c -> c.apply(names));
            names.forEach((name, child) -> copy.names.put(name, copy(child)));
            copy.durableNames.putAll(copy.names);
        }
        return copy;
    }

    private Change copy(Change change) {
        Change known = copiedChanges.get(change);
        if (known == null) {
            known = change.copy(this::copy, this::copy);
            copiedChanges.put(change, known);
        }
        return known;
    }

    private boolean isKept(Change change) {
        if (random == null) {
            return false;
        }
        Boolean known = kept.get(change);
        if (known == null) {
            Change required = change.pendingRequirement();
            known = (required == null || isKept(required)) && random.nextBoolean();
            kept.put(change, known);
        }
        return known;
    }
}
