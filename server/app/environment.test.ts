import { expect, test } from 'bun:test'
import { variables } from './config.ts'
import { environmentRows, mistyped } from './environment.ts'

test('every variable is there, and no secret is shown', () => {
  const env = Object.fromEntries(variables.map(({ name }) => [name, `value of ${name}`]))
  const rows = environmentRows(env)
  expect(rows.map(({ name }) => name)).toEqual(variables.map(({ name }) => name))
  expect(rows.every(({ set }) => set)).toBe(true)
  expect(rows.filter(({ meaning }) => /[`\]]/.test(meaning))).toEqual([])
  const hidden = rows.filter(({ value }) => value === null).map(({ name }) => name)
  // A new variable that is a secret belongs here.
  expect(hidden.sort()).toEqual([
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'DATABASE_URL',
    'PARLEY_ADMIN_PASSWORD',
    'PARLEY_MASTER_KEY',
    'PARLEY_METRICS',
    'PARLEY_OIDC_CLIENT_SECRET',
    'PARLEY_PROXY',
  ])
})

test('what is empty or absent counts as not set', () => {
  expect(environmentRows({ PARLEY_PORT: '' }).filter(({ set, value }) => set || value !== null)).toEqual([])
})

test.each([
  ['PARLEY_PROT', 'PARLEY_PORT'],
  ['PARLEY_DATE', 'PARLEY_DATA'],
  ['PARLEY_ADMIN_PASWORD', 'PARLEY_ADMIN_PASSWORD'],
  ['PARLEY_MAX_OPENS', 'PARLEY_MAX_OPEN'],
  ['PARLEY_DATABASE_URL', 'DATABASE_URL'],
])('%s is %s', (name, meant) => {
  expect(mistyped({ [name]: 'x' })).toEqual([{ name, meant }])
  expect(mistyped({ [name]: 'x', [meant]: 'y' })).toEqual([])
})

test('what is not close to a name may be of another program', () => {
  const others = { PARLEY_URL: '', PARLEY_MANAGEMENT_KEY: '', PARLEY_KEY: '', PARLEY_LOOP: '', PORT: '', PARLEY_PORT: '', PARLEY_: '' }
  expect(mistyped(others)).toEqual([])
})
