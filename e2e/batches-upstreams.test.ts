/**
 * Batches on upstreams of every dialect, each request with a file that Parley keeps: killed in the middle, gone on with, whole, and charged
 * once for each request.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import { startProgram } from '#testing/program/program'
import { gate, wait } from '#testing/upstream/scripted-answers'
import { type Script, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'

const upstreams: [name: string, channel: object, model: string, script: () => Script][] = [
  ['chat', { vendor: 'openai-compatible' }, 'gpt-test', chatVendor],
  ['responses', { vendor: 'openai', speaks: ['responses'] }, 'gpt-test', responsesVendor],
  ['messages', { vendor: 'anthropic' }, 'claude-test', messagesVendor],
  ['gemini', { vendor: 'gemini' }, 'gemini-test', geminiVendor],
]
const count = 6
const key = 'sk-of-the-owner'
const kept = 'words that only the kept file has'

interface Line {
  custom_id: string
  response: { status_code: number; body: { usage: { prompt_tokens: number; completion_tokens: number } } }
}

test.each(upstreams)(
  'on %s: kill -9 in the middle loses nothing and charges nothing twice',
  async (_, channel, model, script) => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-batches-'))
    const upstream = await scriptedUpstream(script())
    const config = JSON.stringify({
      channels: [{ name: 'only', ...channel, baseUrl: upstream.url, keys: ['sk-vendor'], models: [model] }],
      prices: { [model]: { input: '10', output: '20' } },
      users: [{ name: 'owner', balance: '100000', password: 'a long pass phrase' }],
      keys: [{ name: 'of owner', user: 'owner', key }],
    })
    const start = () => startProgram({ folder, config, env: { PARLEY_TAKEOVER: '5s' } })
    let program = await start()
    const client = () => new OpenAI({ baseURL: `${program.url}/v1`, apiKey: key, maxRetries: 0 })
    try {
      const { id: file_id } = await client().files.create({
        file: await toFile(Buffer.from(kept), 'a.txt', { type: 'text/plain' }),
        purpose: 'user_data',
      })
      const content = [
        { type: 'text', text: 'hello' },
        { type: 'file', file: { file_id } },
      ]
      const lines = Array.from({ length: count }, (_, n) => ({
        ...{ custom_id: `n${n}`, method: 'POST', url: '/v1/chat/completions' },
        body: { model, max_tokens: 500, messages: [{ role: 'user', content }] },
      }))
      const text = lines.map((line) => JSON.stringify(line)).join('\n')
      const { id: input_file_id } = await client().files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' })
      const held = gate(script())
      for (let n = 0; n < 2; n++) upstream.next(script())
      for (let n = 2; n < count; n++) upstream.next(held.script)
      const { id } = await client().batches.create({ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' })
      while (held.waiting() < 4 || (await client().batches.retrieve(id)).request_counts?.completed !== 2) await wait(20)
      process.kill(program.pid, 'SIGKILL')
      await program.stop()
      program = await start()
      for (let tries = 0; tries < 1000 && (await client().batches.retrieve(id)).status !== 'completed'; tries++) await wait(50)
      const done = await client().batches.retrieve(id)
      expect(done).toMatchObject({ status: 'completed', request_counts: { total: count, completed: count, failed: 0 } })
      const answered = (await (await client().files.content(done.output_file_id ?? '')).text()).trim().split('\n')
      const told = answered.map((line) => JSON.parse(line) as Line)
      expect(told.map(({ custom_id }) => custom_id).sort()).toEqual(lines.map(({ custom_id }) => custom_id))
      const cost = told.reduce((sum, { response: { body } }) => sum + body.usage.prompt_tokens * 10 + body.usage.completion_tokens * 20, 0)
      const { spent } = (await (await fetch(`${program.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })).json()) as {
        spent: string
      }
      expect(Number(spent).toFixed(6)).toBe((cost / 1e6).toFixed(6))
      // Two once, four twice: those that were interrupted.
      expect(upstream.requests.length).toBe(count + 4)
      expect(upstream.requests.every((request) => request.text().includes(kept) || request.text().includes(btoa(kept)))).toBe(true)
    } finally {
      await program.stop()
      await upstream.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
