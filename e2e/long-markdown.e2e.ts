/** Long markdown is parsed in a worker: well-formed text is rendered, text that takes too long or nests too deep stays text. */
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, testWithoutDemo as test } from './support/browser-test.ts'
import { chatAnswer } from './support/chat-answer.ts'
import { addChannel, chooseModel, removeChannels, sendMessage, signIn, waitForReply } from './support/playground.ts'

let upstream: ScriptedUpstream
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  await addChannel(program, `${upstream.url}/v1`, 'long-winded')
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})

const says = (content: string) => {
  const answer = chatAnswer()
  return respondJson(200, { ...answer, choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] })
}

test('a long table is drawn; 64 KB of quotes, or of an address, stop nothing', async ({ page }) => {
  await signIn(page)
  await chooseModel(page, 'long-winded')
  const table = `|a|b|\n|-|-|\n${'|some words|and more of them|\n'.repeat(400)}`
  upstream.answer(says(table))
  await sendMessage(page, 'A table, please.')
  const reply = await waitForReply(page)
  await expect(reply.locator('tbody tr')).toHaveCount(400)

  for (const worst of ['> '.repeat(32_768), `${'a.'.repeat(32_768)}@`]) {
    upstream.answer(says(`${worst}the end`))
    await sendMessage(page, 'Something else.')
    await waitForReply(page)
    // The page answers at once, while the worker still tries.
    const waited = await page.evaluate(async () => {
      let longest = 0
      for (let turn = 0, last = performance.now(); turn < 50; turn++) {
        await new Promise((next) => setTimeout(next, 10))
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
      }
      return longest
    })
    console.log(`longest turn of the page: ${waited.toFixed(0)} ms`)
    await expect(page.locator('article[data-latest] .md')).toContainText('the end')
  }
})
