#!/usr/bin/env python3
"""Which function HotSpot says that inlined code belongs to: at safepoints only, and between them too.

Runs `inlined/Shapes.java` under async-profiler: once with nothing inlined, which shows the true shares, then with each form
of debug information, with and without a function that unboxes integers. Prints a table of shares in percent.

    conformance/profile/inlined.py [--seconds 8] [--runs 3] [--java java]

Needs a JDK and Maven, which fetches async-profiler.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FUNCTIONS = ["counted", "bytes", "vector", "nested", "characters", "text", "map", "straight"]
ARTIFACT = "tools.profiler:async-profiler:4.2"
FORMS = {
    "nothing inlined": [f"-XX:CompileCommand=dontinline,Shapes::{name}" for name in FUNCTIONS],
    "-DebugNonSafepoints": ["-XX:+UnlockDiagnosticVMOptions", "-XX:-DebugNonSafepoints"],
    "+DebugNonSafepoints": ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=8, help="of CPU in each run")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--java", default="java")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tierup-inlined-") as folder:
        folder = Path(folder)
        plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
        called(folder, "mvn", "--batch-mode", "--quiet", plugin, f"-Dartifact={ARTIFACT}", "-DoutputDirectory=.")
        library = "linux-x64/libasyncProfiler.so"
        called(folder, "jar", "xf", "async-profiler-4.2.jar", library)
        called(folder, "javac", "--release", "17", "-d", ".", str(HERE / "inlined/Shapes.java"))
        print("| boxing | debug information | " + " | ".join(FUNCTIONS) + " |")
        print("|---" * (len(FUNCTIONS) + 2) + "|", flush=True)
        for boxing in ["true", "false"]:
            for form, flags in FORMS.items():
                agent = f"-agentpath:{folder / library}=start,event=itimer,interval=10ms,collapsed,file={folder / 'out'}"
                command = [options.java, *flags, f"-Dboxing={boxing}", agent, "-cp", ".", "Shapes", str(options.seconds)]
                all_runs = []
                for _ in range(options.runs):
                    called(folder, *command)
                    all_runs.append(shares((folder / "out").read_text()))
                cells = [spread([run[name] for run in all_runs]) for name in FUNCTIONS]
                print(f"| {boxing} | {form} | " + " | ".join(cells) + " |", flush=True)


def called(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def shares(stacks):
    """For each function, the percentage of samples in which it is on the stack."""
    lines = [line.rsplit(" ", 1) for line in stacks.splitlines()]
    whole = sum(int(count) for _, count in lines)
    on = {name: sum(int(count) for stack, count in lines if f"Shapes.{name}" in stack.split(";")) for name in FUNCTIONS}
    return {name: 100 * count / whole for name, count in on.items()}


def spread(numbers):
    return f"{sum(numbers) / len(numbers):.0f} [{min(numbers):.0f}, {max(numbers):.0f}]"


if __name__ == "__main__":
    main()
