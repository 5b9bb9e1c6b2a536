/** A form that is refused shows why where its reader looks: the wrong field has the focus, and what has no field stands in sight. */
import { admin, expect, test } from './support/browser-test.ts'
import { openConsole } from './support/console.ts'

test('the first wrong field gets the focus and comes into view; what no field shows stands in the foot of the dialog', async ({
  page,
  tolerate,
}) => {
  tolerate(/status of (400|401|409)/)
  await page.setViewportSize({ width: 1024, height: 600 })
  await openConsole(page, '/admin/groups')
  await page.getByRole('button', { name: 'Add group' }).click()
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Name' })
  await name.fill('default')
  await dialog.getByRole('textbox', { name: 'When a content filter stopped it' }).scrollIntoViewIfNeeded()
  const add = dialog.getByRole('button', { name: 'Add' })
  await add.click()
  await expect(name).toBeFocused()
  await expect(name).toBeInViewport()
  // Said once.
  await expect(dialog.getByText('This name is taken. Choose another one.')).toHaveCount(1)

  // Of three boxes, the wrong one.
  await name.fill('of-this-test')
  const filter = dialog.getByRole('textbox', { name: 'When a content filter stopped it' })
  await filter.fill('no list')
  await add.click()
  await expect(filter).toBeFocused()
  await expect(dialog.locator('[aria-invalid="true"]')).toHaveCount(1)
  await filter.fill('')

  // No field of this dialog is wrong.
  await page.route('**/api/groups', (route) =>
    route.fulfill({ status: 401, json: { error: { code: 'not_signed_in', message: 'Sign in.', type: 'authentication_error' } } }),
  )
  await name.scrollIntoViewIfNeeded()
  await add.click()
  const notice = dialog.locator('.dialog-foot .notice.bad')
  await expect(notice).toContainText('Your session has ended.')
  await expect(notice).toBeInViewport({ ratio: 1 })
  await expect(dialog.locator('[aria-invalid="true"]')).toHaveCount(0)
  await page.keyboard.press('Escape')

  await page.goto('/admin/users')
  await page.getByRole('button', { name: 'Add user' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('somebody')
  const password = dialog.getByLabel('Password')
  await password.fill('password')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(password).toBeFocused()
  await expect(password).toBeInViewport()
})

test('what is folded away unfolds when it is wrong', async ({ page, tolerate }) => {
  tolerate(/status of 400/)
  await openConsole(page, '/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('of this test')
  await dialog.getByText('More settings').click()
  await dialog.getByRole('textbox', { name: 'Monthly' }).fill('much')
  await dialog.getByText('More settings').click()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Monthly' })).toBeFocused()
})

test('a wrong line of the settings stands at its own box and in the bar', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 600 })
  await openConsole(page, '/admin/settings')
  const box = page.getByRole('textbox', { name: 'After an error' })
  await box.fill('no list')
  await page.locator('#settings-quotas input').last().scrollIntoViewIfNeeded()
  await expect(box).not.toBeInViewport()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(box).toBeFocused()
  await expect(box).toBeInViewport()
  await expect(page.locator('main [aria-invalid="true"]')).toHaveCount(1)
  await expect(page.locator('.save-bar').getByRole('alert')).toHaveText('After an error: Write each line as “model: first, second”.')
  await page.getByRole('button', { name: 'Discard' }).click()
})

test('a refusal is told in the language of the page, once, without the names of the API', async ({ page, tolerate }) => {
  tolerate(/status of 400/)
  await page.addInitScript(() => localStorage.setItem('parley.language', 'zh'))
  await page.goto('/admin/groups')
  await page.getByLabel('用户名').fill(admin.name)
  await page.getByLabel('密码').fill(admin.password)
  await page.getByRole('button', { name: '登录' }).click()
  await page.getByRole('button', { name: '添加分组' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: '名称' }).fill('of-this-test')
  const daily = dialog.getByRole('textbox', { name: '每天' })
  await daily.fill('much')
  await dialog.getByRole('button', { name: '添加' }).click()
  await expect(daily).toBeFocused()
  await expect(daily).toHaveAccessibleDescription('请输入普通数字，最多 9 位小数，例如 0.5。')
  await expect(dialog).not.toContainText('budget')
  await expect(dialog.locator('.notice.bad')).toHaveCount(0)
})
