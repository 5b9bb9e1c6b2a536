/** Exports on the command line against a Parley whose connections break. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runConsoleCommand, type Terminal } from './run.ts'

const lineOf = (n: number) => `${JSON.stringify({ cursor: `${n}.r${n}`, requestId: `r${n}`, parts: [{ text: 'ä'.repeat(n) }] })}\n`

let server: Server
afterEach(() => new Promise((resolve) => server.close(resolve)))

/** Serves the scripted answers in order, piece by piece; one without a final line feed breaks off there. */
async function serve(answers: readonly (readonly string[])[]): Promise<URLSearchParams[]> {
  const asked: URLSearchParams[] = []
  server = createServer(async ({ url = '' }, response) => {
    const pieces = answers[asked.push(new URL(url, 'http://here').searchParams) - 1] ?? []
    response.writeHead(200, { 'content-type': 'application/jsonl', connection: 'close' })
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve))
    if (pieces.join('').endsWith('\n')) response.end()
    else {
      // A connection that breaks may take along what was sent before.
      await until(() => lines.length >= asked.length)
      response.socket?.end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return asked
}

/** What was printed. */
let lines: string[] = []
beforeEach(() => {
  lines = []
})
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

async function exported(flags: string[] = []) {
  const error: string[] = []
  const code = await runConsoleCommand(['requests', 'export', ...flags], {
    env: { PARLEY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, PARLEY_MANAGEMENT_KEY: 'pk-test' },
    out: (text: string) => void lines.push(text),
    error: (text: string) => void error.push(text),
  } as unknown as Terminal)
  return { code, lines: lines.map((line) => JSON.parse(line).requestId), error: error.join() }
}

test('a connection that breaks in a line is taken up behind the last whole one', async () => {
  const asked = await serve([
    [lineOf(1), lineOf(2), '{"cursor":"3.r3","requ'],
    [lineOf(3).slice(0, 20), lineOf(3).slice(20)],
  ])
  expect(await exported(['--key', 'ci', '--failed'])).toEqual({ code: 0, lines: ['r1', 'r2', 'r3'], error: '' })
  expect(asked.map((query) => [query.get('after'), query.get('key'), query.get('failed')])).toEqual([
    [null, 'ci', 'true'],
    ['2.r2', 'ci', 'true'],
  ])
})

test('a limit holds over several answers', async () => {
  const asked = await serve([[lineOf(1), '{"cur'], [lineOf(2)]])
  expect(await exported(['--limit', '2'])).toMatchObject({ code: 0, lines: ['r1', 'r2'] })
  expect(asked.map((query) => query.get('limit'))).toEqual(['2', '1'])
})
