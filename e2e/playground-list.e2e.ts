/** The list of conversations: what a search found, thousands of rows, and the way from a reply to its request. */
import { expect, test } from './support/browser-test.ts'
import { expectClean } from './support/console.ts'
import { sendMessage, signIn, turns, waitForReply } from './support/playground.ts'

test('a search shows the words around what it found', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Name of the talk\n\nThe spice island of Zanzibar lies off the coast.')
  await waitForReply(page)
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('zanzibar')
  const row = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link')
  await expect(row).toContainText('island of Zanzibar lies off the coast.')
  await expect(row.locator('mark')).toHaveText('Zanzibar')
  await expectClean(page, 'what a search found')
})

test('thousands of conversations leave as many rows as the window shows', async ({ page }) => {
  await signIn(page)
  const conversations = Array.from({ length: 2_000 }, (_, at) => ({
    conversation: {
      id: `c${at}`,
      title: `Talk ${at}`,
      named: true,
      pinned: false,
      createdAt: 1,
      updatedAt: 1 + at,
      group: 'default',
      model: 'parley-demo',
      settings: {},
    },
    messages: [{ id: 'm', conversation: `c${at}`, parent: null, at: 1, role: 'user', text: `Question ${at}` }],
  }))
  await page.getByRole('button', { name: /Account$/ }).click()
  await page.getByRole('menuitem', { name: 'Import conversations' }).click()
  await page
    .getByRole('textbox', { name: 'Exported JSON' })
    .fill(JSON.stringify({ form: 'parley-conversations', version: 1, conversations }))
  await page.evaluate(() => {
    const { transaction } = IDBDatabase.prototype
    Object.assign(window, { transactions: 0 })
    IDBDatabase.prototype.transaction = function (...names) {
      Object.assign(window, { transactions: Reflect.get(window, 'transactions') + 1 })
      return transaction.apply(this, names)
    }
  })
  await page.getByRole('button', { name: 'Import conversations' }).click()
  await expect(page.locator('.toast').getByText('Imported 2,000 conversations')).toBeVisible()
  const transactions = await page.evaluate(() => Reflect.get(window, 'transactions'))
  process.stdout.write(`transactions of 2,000 conversations: ${transactions}\n`)
  expect(transactions).toBeLessThan(20)
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await expect(list.getByRole('link', { name: 'Talk 1999', exact: true })).toBeVisible()
  const rows = await list.getByRole('link').count()
  process.stdout.write(`rows of 2,000 conversations: ${rows}\n`)
  expect(rows).toBeLessThan(80)
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await expect(list.getByRole('link', { name: 'Talk 0', exact: true })).toBeVisible()
  await list.getByRole('link', { name: 'Talk 0', exact: true }).click()
  await expect(turns(page).first()).toContainText('Question 0')
})

test('the id of a request opens the request', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Hello')
  const reply = await waitForReply(page)
  const id = (await reply.locator('.foot button').innerText()).trim()
  await reply.getByRole('link', { name: `Open request ${id}` }).click()
  await expect(page).toHaveURL(`/requests/${id}`)
  await expect(page.getByText(id).first()).toBeVisible()
})
