import { join } from 'node:path'

/** Starts a script of this folder as a process of its own. Resolves when it has printed its port. */
export async function launch(script: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], {
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(value))
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, end: () => child.kill() }
}
