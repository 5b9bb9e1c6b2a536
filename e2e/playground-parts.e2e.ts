/** Parts of the playground that no other file uses: long drafts, templates, markdown and code, thoughts and tool calls, events, columns. */
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, testWithoutDemo as test } from './support/browser-test.ts'
import {
  addChannel,
  chooseModel,
  messageBox,
  nextBody,
  removeChannels,
  resetChannels,
  sendMessage,
  signIn,
  turns,
  waitForReply,
} from './support/playground.ts'

const [model, second] = ['scripted', 'another']
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const says = (...deltas: object[]) => stream([...deltas.map((delta) => chunk(delta)), chunk({}, 'stop'), 'data: [DONE]\n\n'])

let upstream: ScriptedUpstream
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  await addChannel(program, `${upstream.url}/v1`, model)
  await addChannel(program, `${upstream.url}/v1`, second)
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})
test.beforeEach(async ({ page, program }) => {
  await resetChannels(program)
  await signIn(page)
  await chooseModel(page, model)
})

test('the message box grows to twelve rows and then scrolls; 20,000 lines are pasted at once; each conversation has its draft', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const box = messageBox(page)
  const height = async () => (await box.boundingBox())?.height ?? 0
  const one = await height()
  await box.fill('a\n'.repeat(5))
  const six = await height()
  expect(six).toBeGreaterThan(one)
  await box.fill('a\n'.repeat(40))
  const most = await height()
  await box.fill('a\n'.repeat(80))
  expect(await height()).toBe(most)
  expect(most).toBeLessThan(13 * 26)
  await box.fill('')
  const log = 'one line of a long log\n'.repeat(20_000)
  await page.evaluate((text) => navigator.clipboard.writeText(text), log)
  // From the key to the first frame after it.
  await page.evaluate(() => {
    const pasted = () => {
      const begun = performance.now()
      requestAnimationFrame(() => setTimeout(() => Object.assign(window, { tookMs: performance.now() - begun })))
    }
    addEventListener('paste', pasted, { once: true })
  })
  await page.keyboard.press('ControlOrMeta+v')
  const ms = await (await page.waitForFunction(() => (window as unknown as { tookMs?: number }).tookMs)).jsonValue()
  expect((await box.inputValue()).length).toBe(log.length)
  expect(ms).toBeLessThan(20 * 200)
  await expect(page.locator('.under')).toContainText(/About [\d,]+ tokens/)
  await box.fill('kept here')
  upstream.answer(says({ content: 'Yes.' }))
  await box.press('Enter')
  await waitForReply(page)
  await box.fill('the draft of this one')
  const address = page.url()
  await page.getByRole('button', { name: 'New chat', exact: true }).first().click()
  await expect(box).toHaveValue('')
  await page.goBack()
  await expect(page).toHaveURL(address)
  await expect(box).toHaveValue('the draft of this one')
})

test('a template asks for its variables, goes into the box or the system prompt, and can be taken elsewhere', async ({ page }) => {
  const open = () => page.getByRole('button', { name: 'Templates', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Templates' })
  await open()
  await dialog.getByLabel('Name', { exact: true }).fill('Summary')
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Summarise {{text}} in {{count}} words.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByLabel('text', { exact: true }).fill('this')
  await dialog.getByLabel('count', { exact: true }).fill('ten')
  await dialog.getByRole('button', { name: 'Insert' }).click()
  await expect(messageBox(page)).toHaveValue('Summarise this in ten words.')
  await open()
  await dialog.getByRole('button', { name: 'Summary', exact: true }).click()
  await dialog.getByLabel('text', { exact: true }).fill('all')
  await dialog.getByLabel('count', { exact: true }).fill('two')
  await dialog.getByRole('button', { name: 'Use as system prompt' }).click()
  await expect(page.getByText('System prompt set').first()).toBeVisible()
  await open()
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('[{"name": "Other", "text": "Hello {{you}}"}]')
  await dialog.getByRole('button', { name: 'Import from text' }).click()
  await expect(dialog.getByRole('button', { name: 'Other', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  upstream.answer(says({ content: 'Two words.' }))
  const body = await nextBody(page, () => messageBox(page).press('Enter'))
  expect(body.messages).toEqual([
    { role: 'system', content: 'Summarise all in two words.' },
    { role: 'user', content: 'Summarise this in ten words.' },
  ])
  await waitForReply(page)
})

test('markdown is drawn: tables, task lists, footnotes and formulas; prices are none, and pictures of other sites are not fetched', async ({
  page,
}) => {
  const text = [
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '- [x] done\n- [ ] open',
    'It is so.[^1]\n\n[^1]: Because.',
    'Costs $5 and $6, and $a^2$ is a square. \\[ x_1 + y \\]',
    '![a chart](https://elsewhere.example/chart.png)',
  ].join('\n\n')
  upstream.answer(says({ content: text }))
  await sendMessage(page, 'Show me')
  const reply = (await waitForReply(page)).locator('.md')
  await expect(reply.getByRole('cell', { name: '2' })).toBeVisible()
  await expect(reply.getByText('☑ done')).toBeVisible()
  await expect(reply.getByText('☐ open')).toBeVisible()
  await expect(reply).toContainText('Because.')
  await expect(reply).toContainText('Costs $5 and $6')
  await expect(reply.locator('math')).toHaveCount(2)
  await expect(reply.locator('img')).toHaveCount(0)
  await expect(reply.getByRole('link', { name: /elsewhere\.example/ })).toBeVisible()
})

test('code is folded, wrapped, downloaded and copied, and says so', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const code = Array.from({ length: 60 }, (_, line) => `const line${line} = ${line}`).join('\n')
  upstream.answer(says({ content: `Here:\n\n\`\`\`ts\n${code}\n\`\`\`\n` }))
  await sendMessage(page, 'Code, please')
  const reply = await waitForReply(page)
  const region = reply.getByRole('region', { name: 'Code, ts' })
  const folded = (await region.boundingBox())?.height ?? 0
  await reply.getByRole('button', { name: 'Show all 60 lines' }).click()
  expect((await region.boundingBox())?.height).toBeGreaterThan(folded)
  await reply.getByRole('button', { name: 'Wrap lines' }).click()
  await expect(reply.getByRole('button', { name: 'Wrap lines' })).toHaveAttribute('aria-pressed', 'true')
  const file = page.waitForEvent('download')
  await reply.getByRole('button', { name: 'Download code' }).click()
  expect((await file).suggestedFilename()).toMatch(/^code\.ts$/)
  await reply.getByRole('button', { name: 'Copy ts code' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Copied' }).first()).toBeAttached()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code)
  await expect(region.locator('.hljs-keyword').first()).toBeVisible()
})

test('thoughts are folded and not sent back; a tool call waits for a result that is typed; JSON is judged', async ({ page }) => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":' } }
  upstream.answer(
    stream([
      chunk({ reasoning_content: 'The user wants the weather.' }),
      chunk({ tool_calls: [call] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ' "Oslo"}' } }] }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ]),
  )
  await sendMessage(page, 'Weather in Oslo?')
  const reply = await waitForReply(page)
  const thought = reply.getByRole('button', { name: /^(Thought for|Reasoning)/ })
  await expect(thought).toHaveAttribute('aria-expanded', 'false')
  await thought.click()
  await expect(reply.getByRole('region', { name: 'Reasoning' })).toHaveText('The user wants the weather.')
  await expect(reply.getByRole('region', { name: 'Arguments of weather' })).toContainText('"Oslo"')
  await expect(reply).toContainText('Waiting for a result')
  await reply.getByLabel(/^Result/).fill('{"sky": "clear"}')
  upstream.answer(says({ content: '{"sky": "clear", "city": "Oslo"}' }))
  const body = await nextBody(page, () => reply.getByRole('button', { name: 'Send result' }).click())
  const { messages } = body as { messages: Record<string, unknown>[] }
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(messages[2]).toMatchObject({ tool_call_id: 'call_1', content: '{"sky": "clear"}' })
  expect(JSON.stringify(messages)).not.toContain('wants the weather')
  await waitForReply(page)
  await page.getByRole('button', { name: /^Response format, / }).click()
  await page.getByRole('menuitemradio', { name: 'JSON', exact: true }).click()
  await expect(turns(page).last()).toContainText('Valid JSON')
})

test('the inspector numbers the events, filters them and copies them as they came', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  upstream.answer(says({ content: 'apple' }, { content: 'pear' }))
  await sendMessage(page, 'Fruit')
  await waitForReply(page)
  await page.getByRole('tab', { name: /Events/ }).click()
  const list = page.getByRole('listbox', { name: 'Events' })
  await expect(list.getByRole('option').first()).toBeVisible()
  const all = await list.getByRole('option').count()
  await page.getByRole('searchbox', { name: 'Filter by text or type' }).fill('pear')
  await expect(list.getByRole('option')).toHaveCount(1)
  expect(all).toBeGreaterThan(3)
  await list.getByRole('option').click()
  await expect(page.getByText(/^Event \d+, \d+ ms after the previous one$/)).toBeVisible()
  await page.getByRole('button', { name: 'Copy as .sse' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('data: {')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('apple')
  expect(copied).toContain('data: [DONE]')
  await page.getByRole('tab', { name: 'Request' }).click()
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('POST /pg/chat/completions')
})

test('columns answer side by side, one that fails leaves the other alone, and one is taken to go on with', async ({ page, tolerate }) => {
  tolerate(/Failed to load resource/)
  const byModel: Script = async (exchange) => {
    const asked = exchange.request.json() as { model: string }
    const script = asked.model === model ? says({ content: 'From the first.' }) : respondJson(400, { error: { message: 'no', code: 'x' } })
    await script(exchange)
  }
  upstream.answer(byModel)
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  const column = (number: number) => page.getByRole('region', { name: new RegExp(`^Column ${number}, `) })
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Who are you?')
  await page.keyboard.press('Enter')
  await expect(column(1)).toContainText('From the first.')
  await expect(column(2).getByRole('heading', { name: 'The request was rejected' })).toBeVisible()
  await expect(column(1)).toContainText('first token')
  await column(1).getByRole('button', { name: 'Continue with this' }).click()
  await expect(turns(page).last()).toContainText('From the first.')
})

test('the last message is edited by the up arrow; everything is deleted only after a word is typed', async ({ page }) => {
  upstream.answer(says({ content: 'Fine.' }))
  await sendMessage(page, 'A mistkae')
  await waitForReply(page)
  await messageBox(page).press('ArrowUp')
  await expect(page.getByRole('textbox', { name: 'Edit message' })).toHaveValue('A mistkae')
  await page.keyboard.press('Escape')
  await expect(messageBox(page)).toBeFocused()
  await page.getByRole('button', { name: /Account$/ }).click()
  await page.getByRole('menuitem', { name: 'Delete all conversations' }).click()
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  const go = dialog.getByRole('button', { name: 'Delete all conversations' })
  await expect(go).toBeDisabled()
  await dialog.getByRole('textbox').fill('delete')
  await go.click()
  await expect(page.getByText('Your conversations appear here.')).toBeVisible()
})
