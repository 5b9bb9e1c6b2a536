import { expect, test } from 'bun:test'
import type { AuditRow } from '#shared/console/audit'
import { namedText, pathOfId, piecesOf, targetNameOf } from './audit-names.ts'

const [ann, team, key] = ['ce3f588a3991539acb354bce', 'team_788c2565f94dc5f1f8a6b074', '05425211c9b3b0bf64268c55']
const names: AuditRow['names'] = {
  [ann]: { kind: 'user', name: 'Ann' },
  [team]: { kind: 'team', name: 'apps' },
  [key]: { kind: 'managementKey', name: 'terraform' },
}

test('ids in a text are things with their names, wherever they stand', () => {
  expect(piecesOf(ann, names)).toEqual([{ id: ann, name: 'Ann', path: `/admin/users/${ann}` }])
  expect(piecesOf(`{"team":"${team}","by":"${key}"}`, names)).toEqual([
    ...['{"team":"', { id: team, name: 'apps', path: `/admin/teams?open=${team}` }, '","by":"'],
    ...[{ id: key, name: 'terraform', path: undefined }, '"}'],
  ])
  expect(piecesOf('nothing of the kind', names)).toEqual(['nothing of the kind'])
  expect(piecesOf('gone ce3f588a3991539acb354bcf', names)).toEqual(['gone ce3f588a3991539acb354bcf'])
  expect(piecesOf(ann, {})).toEqual([ann])
})

test('in one line, with the id behind the name where there is room', () => {
  expect(namedText(`createdBy ${ann}`, names)).toBe('createdBy Ann')
  expect(namedText(`createdBy ${ann}`, names, true)).toBe(`createdBy Ann (${ann})`)
  expect(pathOfId('gone', names)).toBeUndefined()
})

test('what was changed has the name of its time, or the one of now where only its id was written', () => {
  expect(targetNameOf({ target: ann, targetName: 'Anna', names })).toBe('Anna')
  expect(targetNameOf({ target: ann, targetName: ann, names })).toBe('Ann')
  expect(targetNameOf({ target: 'req_1', targetName: 'req_1', names })).toBe('req_1')
})
