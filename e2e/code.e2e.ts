/** "View as code": what the dialog copies is run, and must ask for exactly what the page itself asks for. */
import type { Page } from 'playwright/test'
import { administrator } from '#testing/program'
import { respondJson, stream } from '#testing/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/scripted-upstream'
import { expect, test } from './support/person.ts'
import { addChannel, input, nextBody, replyEnds, signIn } from './support/playground.ts'
import { type SnippetRunner, snippetRunner } from './support/snippet-runner.ts'

/** Its channel replaces the demo model, so no other file may share its program. */
test.use({ programOptions: { env: { ...administrator, PARLEY_DEMO: 'off' } } })

const model = 'scripted'
const languages = ['curl', 'Python', 'TypeScript'] as const
/** What breaks quoting in a shell, in Python, in JSON or in a template string. */
const nasty = `it's "quoted" \\ \\n $HOME $(id) \`id\` \${x} %s {} ''' """ #! 行 😀 \u2028 \u007f\n\tend`
const answer = 'Said `it`: 行 😀'

const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const whole = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
}

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

const cases: Record<string, { settings: Record<string, unknown>; history?: boolean }> = {
  'a plain question': { settings: {} },
  'every parameter': { settings: { ...parameters, output: 'json' } },
  'a system prompt, tools and a schema': {
    settings: { system: nasty, tools: JSON.stringify([weather]), output: 'schema', schema: JSON.stringify(schema) },
  },
  'a conversation with a tool call': { settings: { tools: JSON.stringify([weather]) }, history: true },
}

/** Turns of a conversation as an export holds them. */
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
  upstream = await scriptedUpstream(async (exchange) => {
    const { stream: streams } = exchange.request.json() as { stream?: boolean }
    const pieces = [
      chunk({ content: answer.slice(0, 4) }, null),
      chunk({ content: answer.slice(4) }, null),
      chunk({}, 'stop'),
      'data: [DONE]\n\n',
    ]
    await (streams ? stream(pieces) : respondJson(200, whole))(exchange)
  })
  await addChannel(program, `${upstream.url}/v1`, model)
  runner = await snippetRunner()
})
test.afterAll(async () => {
  runner?.close()
  await upstream?.close()
})

for (const [name, { settings, history: told }] of Object.entries(cases)) {
  for (const streams of [false, true]) {
    test(`${name}, ${streams ? 'streamed' : 'whole'}`, async ({ page, context, program }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await signIn(page)
      await openConversation(page, name, { ...settings, stream: streams }, told ? history : [])
      await input(page).fill(nasty)
      const codes = await copyEach(page)

      const { group: _, ...asked } = await nextBody(page, () => input(page).press('Enter'))
      await replyEnds(page)
      expect(asked).toMatchObject({ model, messages: expect.arrayContaining([{ role: 'user', content: nasty }]) })

      for (const language of languages) {
        if (language === 'Python' && runner.withoutPython !== undefined) {
          console.log(`skipped: the Python snippet, because ${runner.withoutPython}`)
          continue
        }
        const before = upstream.requests.length
        const printed = await runner.run(language, codes[language], program.printed('PARLEY_KEY'))
        expect([language, upstream.requests.length - before]).toEqual([language, 1])
        expect([language, upstream.requests.at(-1)?.json()]).toEqual([language, asked])
        expect([language, saidBy(printed, language, streams)]).toEqual([language, answer])
      }
    })
  }
}

/** Brings a conversation in as a file, and opens it. */
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

/** What the copy button of each language puts on the clipboard. */
async function copyEach(page: Page): Promise<Record<(typeof languages)[number], string>> {
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const codes = { curl: '', Python: '', TypeScript: '' }
  for (const language of languages) {
    await dialog.getByRole('button', { name: language, exact: true }).click()
    await dialog.getByRole('button', { name: /^Copy/ }).click()
    await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible()
    codes[language] = await page.evaluate(() => navigator.clipboard.readText())
    expect(codes[language]).not.toContain('sk-')
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  return codes
}

/** The reply's text in what a snippet printed: curl prints the answer itself. */
function saidBy(printed: string, language: string, streams: boolean): string {
  if (language !== 'curl') return printed.replace(/\n$/, '')
  if (!streams) return JSON.parse(printed).choices[0].message.content
  const frames = printed.split('\n').filter((line) => line.startsWith('data: {'))
  return frames.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '').join('')
}
