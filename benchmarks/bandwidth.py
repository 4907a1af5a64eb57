"""The measured read bandwidth against a C read of the same buffers, compiled here with gcc.

Seven pairs, interleaved within a minute: on a shared machine both move together. The C side sums
64-bit numbers as STREAM's kernels do, one thread a core, the same sizes, in large pages as numpy's
arrays are. The same C program in ordinary pages is printed beside it: what it loses is spent on
finding pages, not on reading, so the limit is held against large pages. A figure is the best pass
over the largest buffer, as the program takes it and STREAM does.

Run: python benchmarks/bandwidth.py [threads]

Where other programs want the cores, no pass of all threads is undisturbed and the ratio says
little; how much of the cores the passes got is printed for that. One thread is disturbed least.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from ourmodels_gui.probe import probe
from ourmodels_gui.probe.bandwidth import measure, sizes_for, usable_cores

PAIRS, LIMIT = 7, 0.15
SECONDS = 2.5
QUIET = 0.9
C = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
typedef struct { uint64_t *a; size_t n; volatile uint64_t sum; double begin, end; } Part;
static pthread_barrier_t gate;
static double now(void) {
    struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void *fill(void *p) { Part *x = p; for (size_t i = 0; i < x->n; i++) x->a[i] = i; return 0; }
static void *scan(void *p) {
    Part *x = p; uint64_t s = 0;
    pthread_barrier_wait(&gate);
    x->begin = now();
    for (size_t i = 0; i < x->n; i++) s += x->a[i];
    x->end = now(); x->sum = s;
    return 0;
}
static void all(void *(*f)(void *), Part *parts, int count) {
    pthread_t *t = malloc(count * sizeof *t);
    for (int i = 0; i < count; i++) pthread_create(t + i, 0, f, parts + i);
    for (int i = 0; i < count; i++) pthread_join(t[i], 0);
    free(t);
}
int main(int argc, char **argv) {
    int count = atoi(argv[1]); double seconds = atof(argv[2]);
    size_t largest = strtoull(argv[argc - 1], 0, 10) / 8;
    Part *parts = malloc(count * sizeof *parts);
    pthread_barrier_init(&gate, 0, count);
    for (int i = 0; i < count; i++) {
        size_t bytes = largest / count * 8;
        parts[i].n = bytes / 8;
        parts[i].a = aligned_alloc(1 << 21, (bytes + (1 << 21) - 1) >> 21 << 21);
        if (HUGE) madvise(parts[i].a, bytes, MADV_HUGEPAGE);
    }
    all(fill, parts, count);
    double began = now();
    for (int pass = 0; pass < 5 || now() - began < seconds; pass++)
        for (int size = 3; size < argc; size++) {
            size_t n = strtoull(argv[size], 0, 10) / 8 / count;
            double first = 1e300, last = 0;
            for (int i = 0; i < count; i++) parts[i].n = n;
            all(scan, parts, count);
            for (int i = 0; i < count; i++) {
                if (parts[i].begin < first) first = parts[i].begin;
                if (parts[i].end > last) last = parts[i].end;
            }
            printf("%.0f\n", 8.0 * n * count / (last - first));
        }
}
"""


def compiled(folder: Path, huge: int) -> Path:
    program = folder / f"scan-{huge}"
    source = program.with_suffix(".c")
    source.write_text(C, encoding="ascii")
    options = ("-O3", "-march=native", "-pthread", f"-DHUGE={huge}")
    subprocess.run(["gcc", *options, str(source), "-o", str(program)], check=True)
    return program


def scanned(program: Path, threads: int, sizes: list[str]) -> float:
    """Bytes per second of its best pass over the largest buffer, the last of each round."""
    command = [str(program), str(threads), str(SECONDS), *sizes]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return max(map(float, printed.split()[len(sizes) - 1 :: len(sizes)]))


def main() -> int:
    if shutil.which("gcc") is None:
        print("gcc is missing; install it to compare (sudo apt-get install gcc)")
        return 0
    computer = probe()
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else usable_cores()
    cache, memory = computer.cache_bytes, computer.memory_bytes
    sizes = [str(size) for size in sizes_for(cache, memory)]
    ratios, shares = [], []
    with tempfile.TemporaryDirectory() as folder:
        programs = [compiled(Path(folder), huge) for huge in (1, 0)]
        for number in range(1, PAIRS + 1):
            began, used = perf_counter(), process_time()
            ours = measure(cache, memory, seconds=SECONDS, threads=threads)
            assert ours is not None
            shares.append((process_time() - used) / (perf_counter() - began) / threads)
            theirs, small = (scanned(program, threads, sizes) for program in programs)
            ratios.append(ours.bytes_per_s / theirs)
            print(
                f"pair {number}: numpy {ours.bytes_per_s / 1e9:6.1f} GB/s, C {theirs / 1e9:6.1f} "
                f"GB/s, ratio {ratios[-1]:.3f}; C in ordinary pages {small / 1e9:6.1f} GB/s"
            )
    found = median(ratios)
    print(f"median ratio {found:.3f} with {threads} threads; limit 1 +- {LIMIT}")
    if median(shares) < QUIET:
        print(f"the passes got {median(shares):.0%} of the cores: repeat it when nothing else runs")
    return int(abs(found - 1) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
