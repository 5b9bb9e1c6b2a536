/** How long a program's event loop was blocked by one piece of work, measured from outside. Start the program with `env`. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A watch over one program, on Bun only. */
export interface LoopWatch {
  env: Record<string, string>
  /** The longest work since the last call, in milliseconds of processor time; 0 if all of it was short. */
  takeLongest(): number
  close(): void
}

/** Watches the program that is started with its `env`. */
export function loopWatch(): LoopWatch {
  const folder = mkdtempSync(join(tmpdir(), 'parley-loop-'))
  const file = join(folder, 'held.txt')
  appendFileSync(file, '')
  let taken = 0
  return {
    env: { LOOP_PROBE: file, BUN_OPTIONS: `--preload=${fileURLToPath(new URL('./loop-probe.ts', import.meta.url))}` },
    takeLongest() {
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean)
      const fresh = lines.slice(taken).map(Number)
      taken = lines.length
      return Math.max(0, ...fresh)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
