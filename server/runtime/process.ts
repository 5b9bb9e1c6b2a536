/** The process itself: its environment, its two output streams, its signals, its end. */

/** The environment variables, live. */
export const environment = (): Record<string, string | undefined> => process.env

/** Milliseconds of CPU time that this process has taken so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Makes all files and folders that this process creates from now on private to its user. */
export function keepFilesPrivate(): void {
  process.umask(0o077)
}

/** Ignores output errors: when the disk is full or the reader is gone, output is lost and the service continues. */
export function outliveOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
}

/** One line on standard output, for people and for programs that wait for it. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Ends the process with one line on standard error and this exit code. */
export function fail(line: string, code = 1): never {
  process.stderr.write(`${line}\n`)
  process.exit(code)
}

/** Ends the process at once with this exit code. */
export function exit(code: number): never {
  process.exit(code)
}

/** Milliseconds. A signal to a whole process group arrives twice: directly, and from the script that started us. */
const sameSignal = 1_000

/** Calls `first` on the first SIGTERM or SIGINT, and `again` on every later one that is not a duplicate. */
export function onTermination(first: () => void, again: () => void): void {
  let seenAt: number | undefined
  const onSignal = () => {
    if (seenAt === undefined) {
      seenAt = performance.now()
      first()
    } else if (performance.now() - seenAt > sameSignal) again()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** SIGHUP, which means "read your configuration again". */
export function onHangUp(handle: () => void): void {
  process.on('SIGHUP', handle)
}

/** Handles uncaught exceptions and rejections, which would otherwise end the process without a log line. */
export function onUncaught(handle: (thrown: unknown) => void): void {
  process.on('uncaughtException', handle)
  process.on('unhandledRejection', handle)
}
