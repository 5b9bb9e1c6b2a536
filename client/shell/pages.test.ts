import { expect, test } from 'bun:test'
import * as pages from './pages.ts'

test('every page has an icon of its own', () => {
  const all = Object.values(pages)
    .flat()
    .filter((one) => typeof one === 'object' && 'icon' in one)
  const icons = all.map(({ icon }) => icon)
  expect(icons.length).toBeGreaterThan(15)
  expect(icons.filter((icon, at) => icons.indexOf(icon) !== at)).toEqual([])
})
