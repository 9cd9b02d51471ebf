//! TypeScript and JavaScript.

use super::Program;

#[test]
fn members_of_unknown_receivers() {
    let program = Program::new(
        "//- /src/runner.ts
export class Runner {
    run() {}
    stop() {}
    again(task) { task.stop() }
}
export class Builder {
    static start() { return new Builder() }
    step(kind) { return kind() }
    finish() {}
}
//- /src/use.ts
import { Builder } from './runner'
export function use(x, runner, myRunner, kind) {
    x.run()
    runner.run(1)
    myRunner.run(2)
    Promise.run(3)
    Builder.start().step(kind).finish()
    x.step(kind).finish(4)
}
",
    );
    program.check(
        "
        src/runner.ts | again | stop -> src/runner.ts | stop() {} | likely
        src/use.ts | x.run() | run -> nothing several
        src/use.ts | runner.run(1) | run -> src/runner.ts | run() {} | likely
        src/use.ts | run(2) | run -> src/runner.ts | run() {} | likely
        src/use.ts | run(3) | run -> nothing several
        src/use.ts | Builder.start() | finish -> src/runner.ts | finish() {} | likely
        src/use.ts | finish(4) | finish -> nothing several
        ",
    );
}
