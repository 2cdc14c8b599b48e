import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { playTask, type SurvivalResult, type SurvivalTask } from "./grid";

/** The word with which the bench starts itself as a process that plays what it is sent. */
export const WORKER_WORD = "--worker";

/** Processes that play conversations, one at a time each. */
export interface Workers {
  /** Rejects when the process that plays it ends before it is done. */
  play(task: SurvivalTask): Promise<readonly SurvivalResult[]>;
  close(): void;
}

interface Waiting {
  readonly task: SurvivalTask;
  readonly resolve: (results: readonly SurvivalResult[]) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a process for each core of the machine: `file` run with `words` and WORKER_WORD. */
export function startWorkers(file: string, words: readonly string[]): Workers {
  const waiting: Waiting[] = [];
  const children: ChildProcess[] = [];
  const idle: ChildProcess[] = [];
  const next = (): void => {
    const [child, one] = [idle[0], waiting[0]];
    if (child === undefined || one === undefined) return;
    idle.shift();
    waiting.shift();
    const onExit = (code: number | null) => one.reject(new Error(`A worker ended with ${code}.`));
    child.once("exit", onExit);
    child.once("message", (results: readonly SurvivalResult[]) => {
      child.off("exit", onExit);
      idle.push(child);
      one.resolve(results);
      next();
    });
    child.send(one.task);
  };
  for (let count = 0; count < availableParallelism(); count++) {
    const child = fork(file, [...words, WORKER_WORD]);
    children.push(child);
    idle.push(child);
  }
  return {
    play: (task) =>
      new Promise((resolve, reject) => {
        waiting.push({ task, resolve, reject });
        next();
      }),
    close: () => children.forEach((child) => child.disconnect()),
  };
}

/** Plays what the parent process sends; resolves when it has gone. */
export function work(): Promise<void> {
  return new Promise((resolve, reject) => {
    process.on("message", (task: SurvivalTask) => {
      playTask(task).then((results) => process.send?.(results), reject);
    });
    process.once("disconnect", resolve);
  });
}
