// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;

const OUTPUT: &str = "\
/h/trees/5.10.262/src/kernel/trace/ftrace.c: In function 'f':
/h/trees/5.10.262/src/kernel/trace/ftrace.c:12:6: warning: unused variable 'x' [-Wunused-variable]
   12 |  int x;
      |      ^
In file included from ../../trees/5.10.262/src/include/linux/b.h:7,
                 from ../../trees/5.10.262/src/kernel/a.c:1:
../../trees/5.10.262/src/include/linux/a.h:3:1: warning: 'g' defined but not used [-Wunused-function]
../../trees/5.10.262/src/include/linux/a.h:9:1: warning: 'h' defined but not used [-Wunused-function]
In file included from kernel/clang.c:1:
In file included from ./include/linux/b.h:7:
./include/linux/a.h:4:1: warning: unused function 'g' [-Wunused-function]
In file included from kernel/sched/build.c:52:
kernel/sched/rt.c:9:1: warning: odd
drivers/x/src/y.c:1:1: warning: frame is 2064 bytes [-Wframe-larger-than=]
kernel/x.o: warning: objtool: f()+0x12: unreachable instruction
WARNING: modpost: vmlinux.o(.text+0x12): Section mismatch in reference
WARNING: modpost: missing MODULE_LICENSE() in x.o
/usr/bin/ld: warning: arch/x86/a.o: missing .note.GNU-stack section implies executable stack
ld.lld: warning: odd
kernel/b.S:4: Warning: old insn
kernel/Kconfig:12:warning: leading whitespace ignored
Documentation/a.rst:3: WARNING: Title underline too short.
a.dts:12.3-8: Warning (unit_address_vs_reg): node has a unit name
cc1: warning: unrecognized option [-Wodd]
warning: unused variable: `x`
  --> rust/kernel/a.rs:12:9
   |
warning: 1 warning emitted
In file included from kernel/a.c:1:
include/linux/c.h:1:2: error: real
kernel/after.c:3:1: warning: of its own
make[1]: warning: jobserver unavailable: using -j1.
  CC      kernel/trace/ftrace.o
  CC [M]  samples/ftrace/s.o
  LD      vmlinux
make[1]: Leaving directory '/b'
";

#[test]
fn every_program_says_it_in_its_own_way() {
    let said = read(OUTPUT, Path::new("/h/trees/5.10.262/src"));
    let all: Vec<_> = said.warnings.iter().map(|w| format!("{:24} {w}", w.object)).collect();
    insta::assert_snapshot!(all.join("\n"), @r"
    kernel/trace/ftrace.o    kernel/trace/ftrace.c:12: unused variable 'x' [-Wunused-variable]
    kernel/a.o               include/linux/a.h:3: 'g' defined but not used [-Wunused-function]
    kernel/a.o               include/linux/a.h:9: 'h' defined but not used [-Wunused-function]
    kernel/clang.o           include/linux/a.h:4: unused function 'g' [-Wunused-function]
    kernel/sched/build.o     kernel/sched/rt.c:9: odd
    drivers/x/src/y.o        drivers/x/src/y.c:1: frame is 2064 bytes [-Wframe-larger-than=]
    kernel/x.o               kernel/x.o: objtool: f()+0x12: unreachable instruction
                             vmlinux.o: modpost: vmlinux.o(.text+0x12): Section mismatch in reference
                             modpost: missing MODULE_LICENSE() in x.o
                             arch/x86/a.o: missing .note.GNU-stack section implies executable stack
                             odd
    kernel/b.o               kernel/b.S:4: old insn
                             kernel/Kconfig:12: leading whitespace ignored
                             Documentation/a.rst:3: Title underline too short.
                             a.dts:12: node has a unit name [unit_address_vs_reg]
                             unrecognized option [-Wodd]
    rust/kernel/a.o          rust/kernel/a.rs:12: unused variable: `x`
    kernel/after.o           kernel/after.c:3: of its own
    ");
    let made: Vec<_> = said.made.iter().map(String::as_str).collect();
    assert_eq!(made, ["kernel/trace/ftrace.o", "samples/ftrace/s.o", "vmlinux"]);
}

#[test]
fn a_warning_is_the_same_at_another_line() {
    let of = |line: &str| read(line, Path::new("/t")).warnings[0].identity();
    let frame = of("a.c:1:1: warning: the frame size of 2048 bytes is large [-Wframe]");
    let cases = [
        ("a.c:9:3: warning: the frame size of 2064 bytes is large [-Wframe]", true),
        ("/t/a.c:1:1: warning: the frame size of 2048 bytes is large [-Wframe]", true),
        ("a.c:1:1: warning: the frame size of 2048 bytes is large [-Wother]", false),
        ("b.c:1:1: warning: the frame size of 2048 bytes is large [-Wframe]", false),
        ("a.c:1:1: warning: the frame is large [-Wframe]", false),
    ];
    for (line, same) in cases {
        assert_eq!(of(line) == frame, same, "{line}");
    }
    assert_ne!(of("a.c:1: warning: unused 'x1'"), of("a.c:1: warning: unused 'x2'"));
}
