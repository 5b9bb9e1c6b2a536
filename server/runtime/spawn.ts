/** Other processes of this program. */

export interface Outcome {
  /** The exit code; 128 + n when a signal ended it. */
  code: number
  /** What it wrote to standard error. */
  complaint: string
}

/** Runs a script of this program in its own process, with the same runtime, and waits for its end. Standard output is dropped. */
export async function runScript(script: string, args: readonly string[]): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, script, ...args], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const [complaint, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return { code, complaint }
}

/** In such a script: what it was given. */
export const scriptArguments = (): readonly string[] => process.argv.slice(2)
