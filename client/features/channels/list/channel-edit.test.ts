import { expect, test } from 'bun:test'
import { isWhole } from '#client/features/channels/whole-number.ts'
import type { ChannelRow } from '#shared/console/channel'
import { noEdit, patchFor } from './channel-edit.ts'

const row = { priority: 5, weight: 1, tags: ['eu'], groups: ['default', 'vip'] } as unknown as ChannelRow

test('empty fields and values that are already set change nothing', () => {
  expect(patchFor(row, noEdit)).toBeUndefined()
  expect(patchFor(row, { ...noEdit, priority: '5', weight: ' 1 ', addTags: 'eu', removeTags: 'us', addGroups: ['vip'] })).toBeUndefined()
})

test('tags and groups are added and removed; numbers are set', () => {
  expect(
    patchFor(row, { priority: '-2', weight: '0', addTags: 'fast, eu,', removeTags: '', addGroups: ['lab'], removeGroups: ['vip'] }),
  ).toEqual({ priority: -2, weight: 0, tags: ['eu', 'fast'], groups: ['default', 'lab'] })
  expect(patchFor(row, { ...noEdit, removeTags: 'eu' })).toEqual({ tags: [] })
})

test('numbers are whole and within bounds', () => {
  expect(['7', '-7', '', '1.5', '1000001', 'x'].map((text) => isWhole(text, -1_000_000))).toEqual([true, true, false, false, false, false])
  expect(isWhole('-1', 0)).toBe(false)
})
