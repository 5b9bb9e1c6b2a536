import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'
import { errorHeaders } from '#canonical/error-headers'
import { retryOf } from '#shared/api/errors'
import { type ErrorCode, errorTable, GatewayError, isDocumented } from '#shared/errors'
import { errors } from './page'

const codes = Object.keys(errorTable) as ErrorCode[]

test('errors that SDKs must not retry are not described as worth a retry', () => {
  const final = codes.filter((code) => 'x-should-retry' in errorHeaders(new GatewayError(code, '')))
  expect(final).toEqual(expect.arrayContaining(['insufficient_quota', 'model_not_found', 'invalid_api_key', 'address_not_allowed']))
  expect(final.filter((code) => retryOf(code) === 'later')).toEqual([])
})

test('the errors that name a time are those that the reference says so of', () => {
  const server = `${import.meta.dir}/../..`
  const texts = [...new Glob('**/*.ts').scanSync(server)]
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(`${server}/${path}`, 'utf8'))
  const named = texts.flatMap((text) =>
    [...text.matchAll(/GatewayError\(\s*'(\w+)',(?:(?!GatewayError|\n\n)[\s\S]){0,300}?\bretryAfter\b/g)].map(([, code]) => code),
  )
  expect([...new Set(named)].sort()).toEqual(codes.filter((code) => retryOf(code) === 'later').sort())
})

test('the page of errors has a place for each code that links may lead to, and for no other', () => {
  const { content } = errors((text) => text)
  const linked = [...codes, 'unsupported_parameter', 'offline', 'bad_settings'].filter(isDocumented)
  expect([...content.html.matchAll(/id="error-(\w+)"/g)].map(([, code]) => code)).toEqual(linked)
  expect(linked).not.toContain('client_closed_request')
})
