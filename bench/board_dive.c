/* The dives of homeward.heuristics.tiles.tree.kernels, loop for loop, for bench/optimal_tiles.py. */

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

enum { EXPANDED, GENERATED };
enum { NOT_FOUND = -1, NOWHERE = 65535, FORBIDDEN = 65535 };

i64 dive_manhattan(const u16 *slides, i64 ways, const u16 *automaton, const int8_t *changes,
                   i64 symbols, u16 *board, u16 *blanks, u16 *states, i64 *lefts, u8 *order,
                   i32 *estimates, i64 limit, const volatile u8 *stop, i64 *counts) {
    i64 depth = 0;
    lefts[0] = ways;
    counts[EXPANDED]++;
    while (!*stop) {
        if (lefts[depth] == 0) {
            if (depth == 0) return NOT_FOUND;
            depth--;
            board[blanks[depth + 1]] = board[blanks[depth]];
            continue;
        }
        i64 move = --lefts[depth], blank = blanks[depth];
        u16 cell = slides[blank * ways + move], state = automaton[states[depth] * ways + move];
        if (cell == NOWHERE || state == FORBIDDEN) continue;
        u16 tile = board[cell];
        i32 estimate = estimates[depth] + changes[(blank * ways + move) * symbols + tile];
        counts[GENERATED]++;
        if (depth + 1 + estimate > limit) continue;
        order[depth * ways] = (u8)move;
        board[blank] = tile;
        depth++;
        if (estimate == 0) return depth;
        counts[EXPANDED]++;
        blanks[depth] = cell;
        states[depth] = state;
        lefts[depth] = ways;
        estimates[depth] = estimate;
    }
    return NOT_FOUND;
}

typedef struct {
    const u16 *slides, *automaton;
    i64 ways;
    const u8 *entries;
    const u64 *starts, *columns;
    const i32 *numbers;
    i64 parts, most_tiles, width;
    const u16 *shifts;
    const u64 *shift_starts, *tiles;
    const u8 *maps, *owners;
    i64 views, cells, symbols, patterns;
} World;

typedef struct {
    u16 *board;
    u64 *sets;
    u32 *columns;
    i32 *costs;
    u16 *blanks, *states;
    i64 *lefts;
    u8 *order, *moves;
    u64 *kept_sets;
    u32 *kept_columns;
    i32 *kept_costs, *sums;
} Work;

static inline u64 count_bits(u64 bits) { return (u64)__builtin_popcountll(bits); }

static inline u64 set_number(const World *w, u64 bits) {
    u64 size = 1ULL << w->width, total = 0, before = 0;
    for (i64 part = 0; part < w->parts; part++) {
        u64 here = bits & (size - 1);
        total += (u64)w->numbers[((u64)part * (u64)(w->most_tiles + 1) + before) * size + here];
        before += count_bits(here);
        bits >>= w->width;
    }
    return total;
}

static inline u64 slide(const World *w, Work *x, i64 at, i64 child, i64 view, u16 tile, u16 cell,
                        u16 blank) {
    i64 owner = w->owners[view * w->symbols + tile], here = view * w->patterns + owner;
    u64 one = 1ULL << w->maps[view * w->cells + cell];
    u64 other = 1ULL << w->maps[view * w->cells + blank];
    u64 before = x->sets[here], after = before ^ one ^ other;
    u64 old = count_bits(before & (one - 1)), new = count_bits(after & (other - 1));
    u64 column = x->columns[here];
    if (old != new) {
        u64 pair = old * w->tiles[owner] + new;
        column = w->shifts[w->shift_starts[owner] + pair * w->columns[owner] + column];
    }
    i64 keep = (at * w->ways + child) * w->views + view;
    x->kept_sets[keep] = after;
    x->kept_columns[keep] = (u32)column;
    return w->starts[owner] + set_number(w, after) * w->columns[owner] + column;
}

static inline void exchange(const World *w, Work *x, i64 at, i64 child, u16 tile) {
    for (i64 view = 0; view < w->views; view++) {
        i64 here = view * w->patterns + w->owners[view * w->symbols + tile];
        i64 keep = (at * w->ways + child) * w->views + view;
        u64 a = x->sets[here];
        u32 b = x->columns[here];
        i32 c = x->costs[here];
        x->sets[here] = x->kept_sets[keep];
        x->columns[here] = x->kept_columns[keep];
        x->costs[here] = x->kept_costs[keep];
        x->kept_sets[keep] = a;
        x->kept_columns[keep] = b;
        x->kept_costs[keep] = c;
    }
}

static inline i64 make_children(const World *w, Work *x, i64 at, u64 *entries, i64 room) {
    u16 blank = x->blanks[at];
    i64 made = 0, left = 0;
    for (i64 move = 0; move < w->ways; move++) {
        u16 cell = w->slides[blank * w->ways + move];
        if (cell == NOWHERE || w->automaton[x->states[at] * w->ways + move] == FORBIDDEN) continue;
        entries[made] = slide(w, x, at, made, 0, x->board[cell], cell, blank);
        x->moves[at * w->ways + made] = (u8)move;
        made++;
    }
    for (i64 child = 0; child < made; child++) {
        u16 cell = w->slides[blank * w->ways + x->moves[at * w->ways + child]];
        u16 tile = x->board[cell];
        i32 cost = w->entries[entries[child]];
        i32 need = x->sums[at * w->views] - x->costs[w->owners[tile]] + cost;
        x->kept_costs[(at * w->ways + child) * w->views] = cost;
        for (i64 view = 1; view < w->views; view++) {
            if (need > room) break;
            cost = w->entries[slide(w, x, at, child, view, tile, cell, blank)];
            x->kept_costs[(at * w->ways + child) * w->views + view] = cost;
            i64 here = view * w->patterns + w->owners[view * w->symbols + tile];
            i32 sum = x->sums[at * w->views + view] - x->costs[here] + cost;
            if (sum > need) need = sum;
        }
        if (need <= room) x->order[at * w->ways + left++] = (u8)child;
    }
    x->lefts[at] = left;
    return made;
}

i64 dive_patterns(const World *w, Work *x, i64 limit, const volatile u8 *stop, i64 *counts) {
    u64 entries[8];
    i64 depth = 0;
    int new = 1;
    while (!*stop) {
        i64 at = depth;
        if (new) {
            counts[EXPANDED]++;
            counts[GENERATED] += make_children(w, x, at, entries, limit - depth - 1);
        }
        if (x->lefts[at] == 0) {
            if (depth == 0) return NOT_FOUND;
            at = --depth;
            new = 0;
            u16 tile = x->board[x->blanks[at]];
            x->board[x->blanks[at + 1]] = tile;
            exchange(w, x, at, x->order[at * w->ways + x->lefts[at]], tile);
            continue;
        }
        i64 child = x->order[at * w->ways + --x->lefts[at]];
        u16 blank = x->blanks[at];
        u8 move = x->moves[at * w->ways + child];
        u16 cell = w->slides[blank * w->ways + move];
        u16 tile = x->board[cell];
        for (i64 view = 0; view < w->views; view++) {
            i32 old = x->costs[view * w->patterns + w->owners[view * w->symbols + tile]];
            i32 cost = x->kept_costs[(at * w->ways + child) * w->views + view];
            x->sums[(at + 1) * w->views + view] = x->sums[at * w->views + view] - old + cost;
        }
        exchange(w, x, at, child, tile);
        x->board[blank] = tile;
        x->blanks[at + 1] = cell;
        x->states[at + 1] = w->automaton[x->states[at] * w->ways + move];
        depth++;
        new = 1;
        if (x->sums[(at + 1) * w->views] == 0) return depth;
    }
    return NOT_FOUND;
}
