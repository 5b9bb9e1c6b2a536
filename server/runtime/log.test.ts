/** Log lines as log collectors read them. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** The output of a child process. */
async function written(code: string): Promise<Record<string, unknown>[]> {
  const script = `import { createLog } from ${JSON.stringify(join(import.meta.dir, 'log.ts'))}; const log = createLog('info'); ${code}`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('ids of requests and traces have the names that they have elsewhere, whatever else is in a line', async () => {
  const lines = await written(
    `log.info({ requestId: 'req_1', trace_id: 'abc', channel: 'one' }, 'said'); log.warn({ err: new Error('broken'), requestId: 'req_2' }, 'said'); log.error({}, 'said'); log.debug({}, 'no')`,
  )
  expect(lines).toEqual([
    { level: 'info', time: expect.any(String), request_id: 'req_1', trace_id: 'abc', channel: 'one', msg: 'said' },
    { level: 'warn', time: expect.any(String), request_id: 'req_2', err: expect.objectContaining({ message: 'broken' }), msg: 'said' },
    { level: 'error', time: expect.any(String), msg: 'said' },
  ])
})
