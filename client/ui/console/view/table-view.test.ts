import { expect, test } from 'bun:test'
import { chosenColumns } from './table-view.ts'

const cell = () => ''
const columns = [
  { id: 'pick', label: 'Choose', bare: true, cell },
  { id: 'name', label: 'Name', card: 'title' as const, cell },
  { id: 'group', label: 'Group', wide: true, cell },
  { id: 'spent', label: 'Spent', cell },
  { id: 'since', label: 'Since', extra: true, cell },
  { id: 'actions', label: 'Actions', bare: true, cell },
]

test('chosen columns are shown at any width, and the row name always', () => {
  const shown = chosenColumns(columns, new Set(['group']))
  expect(shown.map(({ id }) => id)).toEqual(['pick', 'name', 'group', 'actions'])
  expect(shown[2]?.wide).toBe(false)
  expect(chosenColumns(columns, new Set(['since'])).map(({ id }) => id)).toEqual(['pick', 'name', 'since', 'actions'])
  expect(chosenColumns(columns, new Set(['unknown'])).map(({ id }) => id)).toEqual(['pick', 'name', 'actions'])
})
