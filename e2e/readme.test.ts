/** The examples of README.md, run as printed against a started program; only the address is replaced. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { administrator, type Program, startProgram } from '#testing/program/program'

const root = join(import.meta.dir, '..')
const printed = 'http://127.0.0.1:3000'
const examples = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
  language,
  text: text ?? '',
}))

function example(language: string, part: string): string {
  const found = examples.filter(({ language: spoken, text }) => spoken === language && text.includes(part))
  if (found.length !== 1) throw new Error(`README.md has ${found.length} ${language} examples with ${part}`)
  return found[0]?.text ?? ''
}

async function output(command: string[], env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(command, { cwd: root, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe', timeout: 30_000 })
  const [text, complaint, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
  if (code !== 0) throw new Error(`the example ended with ${code}: ${complaint}`)
  return text
}

describe('against the built-in model', () => {
  let program: Program
  beforeAll(async () => {
    const start = /(PARLEY_ADMIN_USER)=(\S+) (PARLEY_ADMIN_PASSWORD)='(.+)' npm start/.exec(example('sh', 'npm start')) ?? []
    expect(start.slice(1, 4)).toEqual(['PARLEY_ADMIN_USER', 'admin', 'PARLEY_ADMIN_PASSWORD'])
    program = await startProgram({ env: { PARLEY_ADMIN_USER: start[2] ?? '', PARLEY_ADMIN_PASSWORD: start[4] ?? '' } })
  }, 90_000)
  afterAll(() => program?.stop())

  const shell = (text: string) => output(['sh', '-c', text.replaceAll(printed, program.url)], { PARLEY_KEY: program.printed('PARLEY_KEY') })

  test('curl, one answer', async () => {
    const answer = JSON.parse(await shell(example('sh', 'who are you')))
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'parley-demo', choices: [{ finish_reason: 'stop' }] })
    expect(answer.choices[0].message.content.length).toBeGreaterThan(10)
  })

  test('curl, a stream', async () => {
    const stream = await shell(example('sh', '"stream": true'))
    expect(stream).toStartWith('data: {')
    expect(stream.trimEnd()).toEndWith('data: [DONE]')
  })

  test('curl, the models', async () => {
    expect(JSON.parse(await shell(example('sh', '/v1/models'))).data).toContainEqual(
      expect.objectContaining({ id: 'parley-demo', object: 'model' }),
    )
  })

  test('curl, the protocols of Anthropic and Google', async () => {
    const messages = JSON.parse(await shell(example('sh', '/v1/messages')))
    expect(messages).toMatchObject({ type: 'message', role: 'assistant', content: [{ type: 'text' }] })
    const gemini = JSON.parse(await shell(example('sh', ':generateContent')))
    expect(gemini.candidates[0].content.parts[0].text.length).toBeGreaterThan(10)
  })

  test('the OpenAI SDK', async () => {
    const script = example('ts', "from 'openai'").replaceAll(printed, program.url)
    const text = await output([process.execPath, '-e', script], { PARLEY_KEY: program.printed('PARLEY_KEY') })
    expect(text.length).toBeGreaterThan(10)
  })
})

test('parley.yaml: it starts, and offers what it declares', async () => {
  const secrets = {
    OPENAI_API_KEY: 'sk-upstream',
    IN_HOUSE_KEY: 'anything',
    ADMIN_PASSWORD: administrator.PARLEY_ADMIN_PASSWORD,
    CI_KEY: 'sk-ci-example-key',
  }
  const program = await startProgram({ env: secrets, config: example('yaml', 'channels:') })
  try {
    const answer = await fetch(`${program.url}/v1/models`, { headers: { authorization: `Bearer ${secrets.CI_KEY}` } })
    const { data } = (await answer.json()) as { data: { id: string }[] }
    expect(data.map((model) => model.id).sort()).toEqual(['fast', 'gpt-5', 'llama-3.3-70b'])
  } finally {
    await program.stop()
  }
}, 90_000)
