package dev.tarn.engine.internal.iterator;

import java.util.Arrays;

/**
 * A tournament among iterators: the winner is the one whose entry comes first, and when it has
 * moved, one comparison per level of the tree finds the next.
 *
 * <p>When one iterator wins {@value #STREAK} times in a row, the runner-up is found once: as long
 * as the winner stays before it, one comparison is all a move costs. Sorted loads and keys that
 * only one run has are merged that way.
 *
 * <p>Threads: belongs to one thread. Allocates nothing after construction.
 *
 * <p>Invariants: (1) {@code losers[0]} is the winner, {@code losers[n]} the loser of the match at
 * inner node n; the leaf of iterator i is node {@code count + i}; (2) iterators that are not valid
 * lose against all that are; (3) of equal entries, that of the earlier iterator comes first; (4)
 * {@code heads[n]} is the {@link #head} of {@code losers[n]}, so that a match that the first eight
 * bytes decide reads these two arrays only.
 */
final class LoserTree {
    /** Finding the runner-up costs about as much as one replay: short streaks must not pay it. */
    static final int STREAK = 8;

    private static final int NONE = -1;

    private final EntryIterator[] iterators;
    private final int count;
    private final int[] losers;
    private final long[] heads;
    private boolean reverse;
    private int streak;
    private int runnerUp = NONE;
    private long runnerUpHead;

    LoserTree(EntryIterator[] iterators) {
        this.iterators = iterators;
        this.count = iterators.length;
        this.losers = new int[Math.max(1, count)];
        this.heads = new long[losers.length];
    }

    /** Plays all matches, after all iterators may have moved. */
    void build(boolean reverse) {
        this.reverse = reverse;
        resetStreak();
        Arrays.fill(losers, NONE);
        for (int i = 0; i < count; i++) {
            enter(i);
        }
    }

    /** The index of the winner; its iterator is valid if any is. */
    int winner() {
        return losers[0];
    }

    /** Finds the winner again, after the iterator of the last one has moved. */
    void replay() {
        int last = losers[0];
        long head = head(last);
        if (runnerUp != NONE) {
            if (wins(last, head, runnerUp, runnerUpHead)) {
                return;
            }
            resetStreak();
        }
        int winner = last;
        for (int node = (count + last) >>> 1; node > 0; node >>>= 1) {
            int loser = losers[node];
            long loserHead = heads[node];
            if (wins(loser, loserHead, winner, head)) {
                losers[node] = winner;
                heads[node] = head;
                winner = loser;
                head = loserHead;
            }
        }
        losers[0] = winner;
        if (winner != last) {
            streak = 0;
        } else if (++streak >= STREAK) {
            findRunnerUp();
        }
    }

    private void resetStreak() {
        streak = 0;
        runnerUp = NONE;
    }

    /** The best of those that lost against the winner; all others lost against one of them. */
    private void findRunnerUp() {
        runnerUp = NONE;
        for (int node = (count + losers[0]) >>> 1; node > 0; node >>>= 1) {
            if (runnerUp == NONE || wins(losers[node], heads[node], runnerUp, runnerUpHead)) {
                runnerUp = losers[node];
                runnerUpHead = heads[node];
            }
        }
    }

    /** Lets an iterator play its way up to the first node where nobody waits yet. */
    private void enter(int leaf) {
        int winner = leaf;
        long head = head(leaf);
        for (int node = (count + leaf) >>> 1; node > 0; node >>>= 1) {
            int other = losers[node];
            long otherHead = heads[node];
            if (other == NONE) {
                losers[node] = winner;
                heads[node] = head;
                return;
            }
            if (wins(other, otherHead, winner, head)) {
                losers[node] = winner;
                heads[node] = head;
                winner = other;
                head = otherHead;
            }
        }
        losers[0] = winner;
    }

    /**
     * A number that is smaller, signed, for the entry that comes first, as far as the first eight
     * bytes of the key say; the largest for an iterator that is not valid.
     */
    private long head(int index) {
        EntryIterator iterator = iterators[index];
        // The sign bit makes a signed comparison of an unsigned one; all bits reverse it as well.
        long flip = reverse ? Long.MAX_VALUE : Long.MIN_VALUE;
        return iterator.valid ? iterator.keyPrefix ^ flip : Long.MAX_VALUE;
    }

    private boolean wins(int left, long leftHead, int right, long rightHead) {
        return leftHead == rightHead ? winsTie(left, right) : leftHead < rightHead;
    }

    private boolean winsTie(int left, int right) {
        EntryIterator leftIterator = iterators[left];
        EntryIterator rightIterator = iterators[right];
        if (!leftIterator.valid || !rightIterator.valid) {
            return leftIterator.valid || (!rightIterator.valid && left < right);
        }
        int order = EntryIterator.compareEntries(leftIterator, rightIterator);
        if (order == 0) {
            return (left < right) != reverse;
        }
        return (order < 0) != reverse;
    }
}
