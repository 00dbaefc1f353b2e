package dev.tarn.testing;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * Which calls of a {@link FaultyFileSystem} fail, hang or return damage.
 *
 * <p>Threads: safe; a fault that waits holds nothing.
 */
final class FaultRules {
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final List<ReadDamage> readDamages = new CopyOnWriteArrayList<>();

    private static final class Rule {
        private final Predicate<FileCall> when;
        private final FileFault fault;
        private int strikesLeft;

        Rule(int strikesMax, Predicate<FileCall> when, FileFault fault) {
            this.when = when;
            this.fault = fault;
            this.strikesLeft = strikesMax;
        }

        synchronized boolean takes(FileCall call) {
            if (strikesLeft == 0 || !when.test(call)) {
                return false;
            }
            strikesLeft--;
            return true;
        }
    }

    private record ReadDamage(Predicate<FileCall> when, RandomSource random) {
        synchronized void strike(FileCall call, byte[] bytes) {
            if (bytes.length > 0 && when.test(call)) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
        }
    }

    void add(int strikesMax, Predicate<FileCall> when, FileFault fault) {
        rules.add(new Rule(strikesMax, when, fault));
    }

    void addReadDamage(Predicate<FileCall> when, RandomSource random) {
        readDamages.add(new ReadDamage(when, random));
    }

    void clear() {
        rules.clear();
        readDamages.clear();
    }

    void strike(FileCall call) throws IOException {
        for (Rule rule : rules) {
            if (rule.takes(call)) {
                rule.fault.strike(call);
            }
        }
    }

    void damage(FileCall call, byte[] bytes) {
        readDamages.forEach(damage -> damage.strike(call, bytes));
    }
}
