/** "View as code": the copied snippet is run in every dialect, and must request exactly what the page shows. */
import type { Page } from 'playwright/test'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, testWithoutDemo as test } from './support/browser-test.ts'
import { type DialectName, dialects, inFourDialects, spoken } from './support/four-dialects.ts'
import { addChannel, messageBox, nextBody, removeChannels, signIn, waitForReply } from './support/playground.ts'
import { type SnippetRunner, snippetRunner } from './support/snippet-runner.ts'

const model = 'scripted'
const languages = ['curl', 'Python', 'TypeScript'] as const
type LanguageName = (typeof languages)[number]
/** Characters that break quoting in a shell, in Python, in JSON or in a template string. */
const nasty = `it's "quoted" \\ \\n $HOME $(id) \`id\` \${x} %s {} ''' """ #! 行 😀 \u2028 \u007f\n\tend`
const answer = 'Said `it`: 行 😀'

const on = <Value>(value: Value) => ({ on: true, value })
const parameters = {
  temperature: on(0.35),
  topP: on(0.9),
  frequencyPenalty: on(-0.5),
  presencePenalty: on(1),
  maxTokens: on(200),
  effort: 'low',
  seed: 7,
  stop: ['\n\n', "'"],
}
const weather = {
  type: 'function',
  function: { name: 'weather', description: nasty, parameters: { type: 'object', properties: {}, required: [] } },
}
const schema = { type: 'object', properties: { ok: { type: ['boolean', 'null'], default: null } }, additionalProperties: false }

interface Case {
  /** Whether the reply is streamed; each form of answer is printed differently. */
  streams: readonly boolean[]
  settings: Record<string, unknown>
  history?: boolean
  /** Dialects that cannot express it, and the field that they report. */
  refused?: Partial<Record<DialectName, string>>
  /** What a dialect expresses differently, or not at all. */
  lost?: Partial<Record<DialectName, string[]>>
}

const cases: Record<string, Case> = {
  'a plain question': { streams: [false, true], settings: {} },
  'every parameter': {
    streams: [true],
    settings: { ...parameters, output: 'json' },
    refused: { Responses: 'stop' },
    lost: { Messages: ['sampling.frequencyPenalty', 'sampling.seed', 'output.format', 'output.stop'] },
  },
  'a system prompt, tools and a schema': {
    streams: [false],
    settings: { system: nasty, tools: JSON.stringify([weather]), output: 'schema', schema: JSON.stringify(schema) },
  },
  'a conversation with a tool call': { streams: [true], settings: { tools: JSON.stringify([weather]) }, history: true },
}

/** Turns of a conversation in the export format. */
const reply = { role: 'assistant', state: 'complete', group: 'default', model, reasoning: '', refusal: '', requestId: null, cost: null }
const history = [
  { id: 'm1', parent: null, at: 1, role: 'user', text: nasty },
  { ...reply, id: 'm2', parent: 'm1', at: 2, text: '', calls: [{ id: 'call-1', name: 'weather', arguments: '{"a": "it\'s"}' }] },
  { id: 'm3', parent: 'm2', at: 3, role: 'tool', callId: 'call-1', text: nasty },
  { ...reply, id: 'm4', parent: 'm3', at: 4, text: nasty, calls: [] },
]

let upstream: ScriptedUpstream
let runner: SnippetRunner

test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream(inFourDialects(answer))
  // Another Parley supports every dialect, so that each request arrives as it was sent.
  await addChannel(program, upstream.url, model, 'parley')
  runner = await snippetRunner()
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  runner?.close()
  await upstream?.close()
})

for (const [name, { streams: modes, settings, history: told, refused = {}, lost = {} }] of Object.entries(cases)) {
  for (const streams of modes) {
    test(`${name}, ${streams ? 'streamed' : 'whole'}`, async ({ page, context, program, tolerate }) => {
      test.setTimeout(180_000)
      // Requests that a dialect cannot express are refused, and the browser logs it.
      tolerate(/400 \(Bad Request\)/)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await signIn(page)
      await openConversation(page, name, { ...settings, stream: streams }, told ? history : [])
      await messageBox(page).fill(nasty)
      const written = await writeEach(page, { refused, lost })

      const { group: _, ...asked } = await nextBody(page, () => messageBox(page).press('Enter'))
      await waitForReply(page)
      expect(asked).toMatchObject({ model, messages: expect.arrayContaining([{ role: 'user', content: nasty }]) })
      expect(written.find((one) => one.dialect === 'Chat')?.body).toEqual(asked)

      for (const { dialect, language, code, body } of written) {
        if (language === 'Python' && runner.withoutPython !== undefined) {
          console.log(`skipped: the Python snippet, because ${runner.withoutPython}`)
          continue
        }
        const before = upstream.requests.length
        const printed = await runner.run(language, code, program.printed('PARLEY_KEY'))
        expect([dialect, language, upstream.requests.length - before]).toEqual([dialect, language, 1])
        expect([dialect, language, arrived(upstream)]).toEqual([dialect, language, body])
        expect([dialect, language, saidBy(printed, dialect, language, streams)]).toEqual([dialect, language, answer])
      }
    })
  }
}

/** Imports a conversation from a file, and opens it. */
async function openConversation(page: Page, title: string, settings: object, messages: object[]): Promise<void> {
  const conversation = { id: 'c', title, named: true, createdAt: 1, updatedAt: 1, group: 'default', model, settings }
  const entry = { conversation, messages: messages.map((one) => ({ ...one, conversation: 'c' })) }
  await page.getByRole('button', { name: /Account$/ }).click()
  await page.getByRole('menuitem', { name: 'Import conversations' }).click()
  const file = JSON.stringify({ form: 'parley-conversations', version: 1, conversations: [entry] })
  await page.getByRole('textbox', { name: 'Exported JSON' }).fill(file)
  await page.getByRole('button', { name: 'Import conversations' }).click()
  await page.getByRole('link', { name: title }).click()
  await expect(page).toHaveTitle(new RegExp(title))
}

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

interface Written {
  dialect: DialectName
  language: LanguageName
  /** What the copy button put on the clipboard. */
  code: string
  /** The body that the inspector shows for this dialect. */
  body: unknown
}

/** Every snippet that the dialog offers; where a dialect cannot express the request, its notice is checked instead. */
async function writeEach(page: Page, { refused, lost }: Required<Pick<Case, 'refused' | 'lost'>>): Promise<Written[]> {
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const written: Written[] = []
  for (const dialect of dialects) {
    const body = await bodyIn(page, dialect)
    const field = refused[dialect]
    if (field !== undefined) {
      await expect(dialog.getByText(`${dialect} cannot express ${field}.`)).toBeVisible()
      await expect(dialog.locator('[data-snippet]')).toHaveCount(0)
      continue
    }
    for (const language of languages) {
      await dialog.getByRole('button', { name: language, exact: true }).click()
      const snippet = dialog.locator(`[data-snippet="${dialect.toLowerCase()} ${language.toLowerCase()}"]`)
      await snippet.waitFor()
      // The previous copy was another snippet.
      expect(await snippet.getByRole('button', { name: 'Copied' }).count()).toBe(0)
      await page.evaluate(() => navigator.clipboard.writeText(''))
      await snippet.getByRole('button', { name: /^Copy/ }).click()
      // What the button says is gone after a moment, which a busy machine may miss.
      await expect.poll(() => copied(page)).not.toBe('')
      const code = await copied(page)
      expect(code).not.toContain('sk-')
      written.push({
        dialect,
        language,
        code,
        body: body ?? JSON.parse(/ -d '(.*)'$/s.exec(code)?.[1]?.replaceAll("'\\''", "'") ?? 'null'),
      })
    }
    for (const one of lost[dialect] ?? []) await expect(dialog.getByRole('region', { name: /changes in this protocol/ })).toContainText(one)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  const [chat] = written
  return written.map((one) => (one.dialect === 'Chat' ? { ...one, body: chat?.body } : one))
}

/** The body as the server wrote it in this dialect; undefined for chat, which the page writes itself. */
async function bodyIn(page: Page, dialect: DialectName): Promise<unknown> {
  const choose = () => page.getByRole('dialog').getByRole('button', { name: dialect, exact: true }).click()
  if (dialect === 'Chat') return void (await choose())
  const answered = page.waitForResponse((response) => response.url().endsWith(`/pg/preview/${dialect.toLowerCase()}`))
  await choose()
  return (await (await answered).json()).body
}

/** The last request. Google's libraries send some fields in their other spelling, and a `generationConfig` even when it is empty. */
function arrived({ requests }: ScriptedUpstream): unknown {
  const last = requests.at(-1)
  if (!last?.target.includes(':')) return last?.json()
  const text = JSON.stringify(last.json())
  const spelled = text.replace(/"(include_thoughts|thinking_level|parameters_json_schema)":/g, (name) =>
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  )
  return JSON.parse(spelled.replace(',"generationConfig":{}', ''))
}

/** The reply's text in what a snippet printed: curl prints the answer itself. */
function saidBy(printed: string, dialect: DialectName, language: LanguageName, streams: boolean): string {
  if (language !== 'curl') return printed.replace(/\n$/, '')
  const { said, heard } = spoken[dialect]
  if (!streams) return said(JSON.parse(printed))
  const frames = printed.split('\n').filter((line) => line.startsWith('data: {'))
  return frames.map((line) => heard(JSON.parse(line.slice(6)))).join('')
}
