/** Other processes of this program. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { platform } from './platform.ts'

export interface Outcome {
  /** The exit code; 128 + n when a signal ended it. */
  code: number
  /** Its standard error output. */
  complaint: string
}

/**
 * Runs a script of this program in a child process, on the same runtime, and waits for its end. Standard output is dropped. Rejects when
 * the process cannot be started.
 */
export function runScript(script: URL, args: readonly string[]): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const child = spawn(process.execPath, [...platform.runArguments, fileURLToPath(script), ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  child.once('error', reject)
  child.once('close', (code, signal) => resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), complaint }))
  return promise
}

/** The arguments that `runScript` passed; for use in such a script. */
export const scriptArguments = (): readonly string[] => process.argv.slice(2)
