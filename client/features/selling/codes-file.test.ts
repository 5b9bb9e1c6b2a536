import { expect, test } from 'bun:test'
import { codesFile, type MadeCode } from './codes-file.ts'

const row: MadeCode = {
  ...{ id: 'c1', batch: 'batch_1', hint: '...WXYZ', note: 'shop, "summer"', value: '20', plan: { id: 'p', name: '=Starter', days: 30 } },
  ...{ group: null, user: null, state: 'open', createdAt: '2026-11-01T00:00:00.000Z', expiresAt: '2027-01-01T00:00:00.000Z' },
  ...{ redeemedAt: null, redeemedBy: null, wallet: null, code: 'ABCD-EFGH' },
}

test('a line for each code, quoted, and no formula for a spreadsheet', () => {
  expect(codesFile([row, { ...row, code: 'IJKL', note: '', plan: null, expiresAt: null }])).toBe(
    [
      'code,value_usd,plan,days,expires_at,note,batch',
      `ABCD-EFGH,20,'=Starter,30,2027-01-01T00:00:00.000Z,"shop, ""summer""",batch_1`,
      'IJKL,20,,,,,batch_1',
      '',
    ].join('\r\n'),
  )
})
