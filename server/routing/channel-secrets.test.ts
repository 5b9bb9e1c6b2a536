import { expect, test } from 'bun:test'
import { sealer } from '#runtime/secrets'
import { carriesSecrets, hasPlainSecrets, hideSecrets, isSecretName, openSecrets, revealed, sealSecrets } from './channel-secrets.ts'

const key = sealer('ab'.repeat(32))
const fields = {
  baseUrl: 'https://proxy.example/v1?api-key=query-secret&region=eu',
  headers: { 'x-portkey-api-key': 'header-secret', 'x-team': 'blue' },
  options: { apiVersion: '2026-01-01', clientSecret: 'option-secret' },
  params: { set: { max_tokens: 5, extra: { auth: { token: ['deep-secret'] } }, prompt_cache_key: 'mine' }, remove: ['n'] },
  proxy: 'socks5://user:proxy-secret@proxy.example:1080',
  tls: { ca: 'authorities', cert: 'certificate', key: 'tls-secret' },
}

test('names of secrets, and names that only look like them', () => {
  const secret = [
    'x-api-key',
    'apiKey',
    'access_token',
    'Authorization',
    'cf-aig-authorization',
    'password',
    'clientSecret',
    'sig',
    'key',
    'sessionToken',
  ]
  const open = [
    'max_tokens',
    'prompt_cache_key',
    'tokenizer',
    'keyboard',
    'x-team',
    'apiVersion',
    'author',
    'passthrough',
    'design',
    'monkey',
  ]
  expect(secret.filter((name) => !isSecretName(name))).toEqual([])
  expect(open.filter(isSecretName)).toEqual([])
})

test('nothing secret is stored or shown, everything opens, for its own channel only', () => {
  const stored = sealSecrets(fields, 'ch_1', key)
  expect(JSON.stringify(stored)).not.toMatch(/(query|header|option|deep|proxy|tls)-secret/)
  expect([hasPlainSecrets(fields), hasPlainSecrets(stored)]).toEqual([true, false])
  expect(sealSecrets(stored, 'ch_1', key)).toEqual(stored)
  expect(openSecrets(stored, 'ch_1', key)).toEqual(fields)
  expect(() => openSecrets(stored, 'ch_2', key)).toThrow('cannot be opened')
  const shown = hideSecrets(fields)
  expect(JSON.stringify(shown)).not.toMatch(/(query|header|option|deep|proxy|tls)-secret/)
  expect(shown).toMatchObject({
    headers: { 'x-portkey-api-key': 'hidden ...cret', 'x-team': 'blue' },
    options: { apiVersion: '2026-01-01' },
  })
  expect(new URL(shown.baseUrl).searchParams.get('region')).toBe('eu')
})

test('what was shown may be sent back, and what is new replaces it', () => {
  const shown = hideSecrets(fields)
  expect(revealed(shown, fields)).toEqual(fields)
  const headers = { ...shown.headers, 'x-portkey-api-key': 'a-new-one', 'x-other-key': 'hidden ...cret' }
  expect(revealed({ headers }, fields)).toEqual({ headers })
})

test('no secret follows an address to another host, however it is named', () => {
  const elsewhere = 'https://evil.example/v1'
  expect(carriesSecrets(fields, { baseUrl: elsewhere })).toBe(true)
  const hint = new URL(hideSecrets(fields).baseUrl)
  hint.host = 'evil.example'
  const shown = revealed({ baseUrl: hint.href, headers: {}, options: {}, params: {} }, fields)
  expect(carriesSecrets(fields, shown as typeof fields)).toBe(true)
  expect(carriesSecrets(fields, { baseUrl: elsewhere, headers: {}, options: {}, params: {} })).toBe(false)
  expect(carriesSecrets(fields, { baseUrl: `${new URL(fields.baseUrl).origin}/other/path` })).toBe(false)
  expect(carriesSecrets(fields, { headers: {} })).toBe(false)
})

test('credentials of a proxy are one secret, which is not sent to another proxy', () => {
  const { proxy } = hideSecrets(fields)
  expect(proxy).toBe('socks5://hidden ...cret@proxy.example:1080')
  expect(revealed({ proxy }, fields)).toEqual({ proxy: fields.proxy })
  for (const other of [proxy.replace('proxy.example', 'evil.example'), proxy.replace('socks5', 'http'), proxy.replace('1080', '1081')])
    expect(revealed({ proxy: other }, fields)).toEqual({ proxy: other })
  const plain = { ...fields, proxy: 'http://proxy.example' }
  expect(sealSecrets(plain, 'ch_1', key).proxy).toBe(plain.proxy)
})
