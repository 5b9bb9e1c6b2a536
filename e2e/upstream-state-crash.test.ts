/**
 * Who owns what an answered request made is in the journal with its usage row: `kill -9` right after the answer, whole or streamed, loses
 * none of it.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Program, startProgram } from '#testing/program/program'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type Script, scriptedUpstream } from '#testing/upstream/scripted-upstream'

const key = 'sk-of-the-owner'
const config = (upstream: string) =>
  JSON.stringify({
    channels: [
      { name: 'messages', vendor: 'anthropic', baseUrl: upstream, keys: ['sk-vendor'], models: ['claude-x'] },
      { name: 'responses', vendor: 'openai', speaks: ['responses'], baseUrl: upstream, keys: ['sk-vendor'], models: ['gpt-5'] },
    ],
    prices: { 'claude-x': { input: '1', output: '2' }, 'gpt-5': { input: '1', output: '2' } },
    users: [{ name: 'owner', balance: '5' }],
    keys: [{ name: 'of owner', user: 'owner', key }],
  })

const usage = { input_tokens: 5, output_tokens: 5 }
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', stop_reason: 'end_turn', stop_sequence: null, usage }
const container = (id: string) => ({ container: { id, expires_at: '2026-12-01T00:00:00Z' } })
const whole = (id: string): Script => respondJson(200, { ...message, content: [{ type: 'text', text: 'No.' }], ...container(id) })
const streamed = (id: string): Script => {
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'No.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null, ...container(id) }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
  return stream(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
}

const response = (id: string): Script => {
  const content = [{ type: 'output_text', text: 'Yes.', annotations: [] }]
  const output = [{ type: 'message', id: `msg_${id}`, status: 'completed', role: 'assistant', content }]
  return respondJson(200, { id, object: 'response', created_at: 1, status: 'completed', model: 'gpt-5', output, usage })
}

const ask = (program: Program, more: object) =>
  post(program, '/v1/messages', { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...more })
const respondTo = (program: Program, ...input: object[]) =>
  post(program, '/v1/responses', { model: 'gpt-5', input: [...input, { role: 'user', content: 'hi' }] })

async function post({ url }: Program, path: string, body: object): Promise<number> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  await answer.text()
  return answer.status
}

test('what an answered request made is its owner`s after kill -9', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-owners-'))
  const upstream = await scriptedUpstream()
  const options = { folder, config: config(upstream.url) }
  let program = await startProgram(options)
  try {
    const made = ['container_a', 'container_b', 'container_c', 'container_d']
    upstream.next(...made.map((id, n) => (n % 2 === 0 ? whole(id) : streamed(id))))
    const asked: number[] = []
    for (const n of made.keys()) asked.push(await ask(program, { stream: n % 2 === 1 }))
    upstream.next(response('resp_1'))
    asked.push(await respondTo(program))
    process.kill(program.pid, 'SIGKILL')
    expect(asked).toEqual([...made, 'resp_1'].map(() => 200))
    await program.stop()
    program = await startProgram(options)
    upstream.next(...made.map(() => whole('container_z')))
    const again = await Promise.all(made.map((id) => ask(program, { container: id })))
    expect(again).toEqual(made.map(() => 200))
    upstream.next(response('resp_2'))
    expect(await respondTo(program, { type: 'item_reference', id: 'msg_resp_1' })).toBe(200)
    expect(await ask(program, { container: 'container_nobody' })).toBe(404)
  } finally {
    await program.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)
