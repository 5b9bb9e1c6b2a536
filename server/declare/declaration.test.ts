// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how the file names a variable

import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { vendorIds } from '#shared/ids'
import { type Declaration, readDeclaration } from './declaration.ts'

/** Every line of the refusal, without the file's name. */
function problems(text: string, env: Record<string, string> = {}): string[] {
  try {
    readDeclaration(text, env)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    return thrown.message.split('\n').map((line) => line.replace(/^parley\.yaml:/, ''))
  }
  return []
}

const fine = (text: string, env: Record<string, string> = {}): Declaration => readDeclaration(text, env)

const example = `
groups:
  default: { description: Standard, ratio: 1 }
  vip:     { description: Priority, ratio: 0.8 }
channels:
  - name: openai-main
    vendor: openai
    keys: ["\${OPENAI_API_KEY}"]
    groups: [default, vip]
    models: [gpt-5, { name: fast, upstream: gpt-5-mini }]
prices:
  gpt-5: { input: 1.25, output: 10, cacheRead: 0.125 }
  fast:  { input: 0.25, output: 2 }
users:
  - { name: admin, role: admin, password: "\${ADMIN_PASSWORD}", groups: [default, vip], balance: 100 }
keys:
  - { name: ci, user: admin, key: "\${CI_KEY}" }
fallbacks:
  gpt-5: { error: [fast] }
routing: { balancing: least_open, checkMinutes: 5 }
`
const env = { OPENAI_API_KEY: 'sk-upstream', ADMIN_PASSWORD: 'correct horse', CI_KEY: 'sk-0123456789' }

test('the example of the contract', () => {
  const { refusal: _, ...rows } = fine(example, env)
  expect(rows).toEqual({
    groups: [
      { name: 'default', fields: { description: 'Standard', ratio: '1' } },
      { name: 'vip', fields: { description: 'Priority', ratio: '0.8' } },
    ],
    channels: [
      {
        name: 'openai-main',
        vendor: 'openai',
        keys: ['sk-upstream'],
        groups: ['default', 'vip'],
        models: ['gpt-5', { name: 'fast', upstream: 'gpt-5-mini' }],
      },
    ],
    prices: [
      { model: 'gpt-5', fields: { input: '1.25', output: '10', cacheRead: '0.125' } },
      { model: 'fast', fields: { input: '0.25', output: '2' } },
    ],
    users: [{ name: 'admin', role: 'admin', password: 'correct horse', groups: ['default', 'vip'], balance: '100' }],
    plans: [],
    teams: [],
    keys: [{ name: 'ci', user: 'admin', key: 'sk-0123456789' }],
    fallbacks: { 'gpt-5': { error: ['fast'] } },
    routing: { balancing: 'least_open', checkMinutes: 5 },
  })
})

test.each(['', '\n', '# only words\n', '---\n', '{}', 'null', '~', 'channels:\nprices:\n# - nothing yet\n', '\uFEFF'])(
  '%j is an empty configuration',
  (text) => {
    const { refusal: _, ...rows } = fine(text)
    expect(rows).toEqual({ groups: [], channels: [], prices: [], plans: [], users: [], teams: [], keys: [], fallbacks: {}, routing: {} })
  },
)

describe('money and ratios are read from their text', () => {
  const price = (written: string) => fine(`prices: { m: { input: ${written}, output: 0 } }`).prices[0]?.fields.input

  test.each([
    ['0.1', '0.1'],
    ['"1.25"', '1.25'],
    ["'10'", '10'],
    ['0', '0'],
    ['0.10', '0.10'],
    ['0.123456789', '0.123456789'],
    ['9007.199254741', '9007.199254741'],
    ['1.000000001', '1.000000001'],
  ])('%s is %s', (written, read) => {
    expect(price(written)).toBe(read)
  })
  test('an amount with more digits than a float has', () => {
    expect(fine('users: [{ name: u, balance: 9007199254740.993 }]').users[0]?.balance).toBe('9007199254740.993')
  })

  test.each([
    '1e-3',
    '1E3',
    '1_000',
    '"1,5"',
    '-1',
    '+1',
    '.5',
    '1.',
    '0x10',
    '0o7',
    '.inf',
    '.nan',
    '007',
    '0.1234567890',
    'true',
    'null',
    '"1 "',
    '"1e-3"',
    '99999999999999',
  ])('%s is refused, where it stands', (written) => {
    expect(problems(`prices: { m: { input: ${written}, output: 0 } }`)).toEqual([
      '1:23: Expected an amount as a plain decimal number with up to 9 places, such as 0.5: no sign, no exponent, no separators',
    ])
  })

  test('a list is no amount', () => {
    expect(problems('prices: { m: { input: [1], output: 0 } }')).toEqual(['1:23: prices.m.input: Expected text'])
  })

  test('in tiers, costs, budgets, balances and ratios too', () => {
    const read = fine(`
groups: { g: { ratio: 0.1, budget: { daily: 0.30 } } }
channels: [{ name: c, vendor: demo, models: [m], costs: { m: { input: 0.7, output: 0.1, tiers: [{ above: 5, input: 0.2 }] } } }]
users: [{ name: u, balance: 0.3 }]`)
    expect(read.groups[0]?.fields).toEqual({ ratio: '0.1', budget: { daily: '0.30' } })
    expect(read.channels[0]?.costs).toEqual({ m: { input: '0.7', output: '0.1', tiers: [{ above: 5, input: '0.2' }] } })
    expect(read.users[0]?.balance).toBe('0.3')
  })

  test('other numbers stay numbers', () => {
    const [channel] = fine(
      'channels: [{ name: c, vendor: demo, models: [m], priority: -3, timeouts: { connect: 2.5 }, params: { set: { t: 0.5 } } }]',
    ).channels
    expect(channel).toMatchObject({ priority: -3, timeouts: { connect: 2.5 }, params: { set: { t: 0.5 } } })
  })
})

describe('the environment', () => {
  const user = (name: string, env: Record<string, string>) => fine(`users:\n  - name: ${name}`, env).users[0]?.name

  test('stands anywhere in a string, several times, and is not looked at again', () => {
    expect(user('"a ${ONE}-${TWO} z"'.replaceAll("'", ''), { ONE: '1', TWO: '${ONE}' })).toBe('a 1-${ONE} z')
    expect(user('${ONE}', { ONE: 'plain' })).toBe('plain')
    expect(fine('users: [{ name: u, balance: "${B}" }]', { B: '1.5' }).users[0]?.balance).toBe('1.5')
  })

  test('a dollar alone is a dollar', () => {
    expect(user('$ONE $ {ONE} $', { ONE: '1' })).toBe('$ONE $ {ONE} $')
  })

  test.each([
    ['users:\n  - name: "x${NOPE}"', ['2:13: The environment variable NOPE is not set']],
    ['users:\n  - name: ${A}${B}', ['2:11: The environment variable A is not set', '2:15: The environment variable B is not set']],
    ['users:\n  - name: ${toString}', ['2:11: The environment variable toString is not set']],
    ['users:\n  - name: "a ${}"', ['2:14: Expected an environment variable name between the braces']],
    ['users:\n  - name: "a ${A B}"', ['2:14: Expected an environment variable name between the braces']],
    ['users:\n  - name: "a ${OPEN"', ['2:14: Expected an environment variable name between the braces']],
    ['channels:\n  - systemPrompt: |\n      one\n      two ${NOPE}', ['4:11: The environment variable NOPE is not set']],
  ])('%j', (text, expected) => {
    expect(problems(text)).toEqual(expected)
  })
})

describe('every problem has its line and column', () => {
  const c = 'channels:\n  - name: c\n    vendor: demo\n    models: [m]\n'
  test.each<[string, string, string[]]>([
    ['an unknown section', 'channel: []', ['1:1: Unknown field "channel"']],
    ['an unknown field', `${c}    modles: []`, ['5:5: Unknown field "modles"']],
    ['an unknown field in a flow', 'groups: { g: { ratoi: 1 } }', ['1:16: Unknown field "ratoi"']],
    ['an unknown field beside a missing one', 'users:\n  - nam: x', ['2:5: Unknown field "nam"', '2:5: Missing field "name"']],
    ['a missing field', 'keys:\n  - name: k\n    user: u', ['2:5: Missing field "key"']],
    [
      'a wrong word',
      `${c}    speaks: [chat, latin]`,
      ['5:20: channels.0.speaks.1: Expected one of: chat, completions, responses, messages, gemini'],
    ],
    ['an unknown vendor', c.replace('demo', 'nobody'), [`3:13: channels.0.vendor: Expected one of: ${vendorIds.join(', ')}`]],
    ['a number for text', 'users:\n  - name: 42', ['2:11: users.0.name: Expected text']],
    ['text for a number', `${c}    weight: heavy`, ['5:13: channels.0.weight: Expected a whole number from 0 to 1000000']],
    ['a fraction for a whole number', `${c}    weight: 1.5`, ['5:13: channels.0.weight: Expected a whole number from 0 to 1000000']],
    ['a list for a map', 'prices:\n  - a', ['2:3: prices: Expected an object of fields']],
    ['a scalar for the file', 'hello', ['1:1: the file: Expected an object of fields']],
    ['no models', c.replace('[m]', '[]'), ['4:13: channels.0.models: Expected a list that is not empty']],
    ['an unknown field of a model', c.replace('[m]', '[{ name: m, upsteam: x }]'), ['4:25: Unknown field "upsteam"']],
    ['a short key', 'keys: [{ name: k, user: u, key: sk-1 }]', ['1:33: keys.0.key: Expected sk- and 8 to 200 visible ASCII characters']],
    [
      'a time that is none',
      'keys: [{ name: k, user: u, key: sk-12345678, expiresAt: tomorrow }]',
      ['1:57: keys.0.expiresAt: Expected a time like 2026-03-01T00:00:00Z'],
    ],
    ...['2030-02-30T00:00:00Z', '2030-01-01T00:00:00'].map((time): [string, string, string[]] => [
      `a day that there is not, or no offset: ${time}`,
      `keys: [{ name: k, user: u, key: sk-12345678, expiresAt: ${time} }]`,
      ['1:57: keys.0.expiresAt: Expected a time like 2026-03-01T00:00:00Z'],
    ]),
    ['a key of nothing', 'keys: [{ name: k, user: u }]', ['1:8: Missing field "key"']],
    [
      'a key and the digest of one',
      `keys: [{ name: k, user: u, digest: ${'ab'.repeat(32)}, key: sk-12345678 }]`,
      ['1:36: keys.0.digest: Give either key or digest'],
    ],
    [
      'a mode that is none',
      'routing: { balancing: random }',
      ['1:23: routing.balancing: Expected one of: weight, round_robin, least_open, first_token, cheapest'],
    ],
    [
      'a price without input',
      'prices:\n  m: { output: 1 }',
      ['2:6: prices.m: A price for tokens needs input; write input: 0 if it is free.'],
    ],
    ['a price that says nothing', 'prices: { m: {} }', ['1:14: prices.m: A price needs at least one amount; write 0 for what is free.']],
    [
      'a price that no book could hold',
      'prices: { m: { input: 10001, output: 1 } }',
      ['1:23: prices.m.input: Expected a decimal number of USD from 0 to 10000, with up to 9 places'],
    ],
    [
      'two tiers at once',
      'prices: { m: { input: 1, output: 1, tiers: [{ above: 5 }, { above: 5 }] } }',
      ['1:68: prices.m: Two tiers begin at the same number of tokens.'],
    ],
    ['a ratio that is too fine', 'groups: { g: { ratio: 0.1234567 } }', ['1:23: groups.g.ratio: A ratio has up to 6 places']],
    ['a channel twice', `${c}  - name: c\n    vendor: demo\n    models: [m]`, ['5:11: channels.1.name: Another entry has the same']],
    ['a user twice', 'users: [{ name: u }, { name: u }]', ['1:30: users.1.name: Another entry has the same']],
    [
      'a key twice',
      'keys: [{ name: a, user: u, key: sk-12345678 }, { name: a, user: v, key: sk-12345678 }]',
      ['1:56: keys.1.name: Another entry has the same', '1:73: keys.1.key: Another entry has the same'],
    ],
    ['a field twice', 'groups:\n  g: {}\n  g: {}', ['3:3: Duplicate name']],
    ['a section twice', 'groups: {}\ngroups: {}', ['2:1: Duplicate name']],
    ['a header that is none', `${c}    headers: { "a b": x }`, ['5:16: Unknown field "a b"']],
    ['a tag', 'users: !!js/function "x"', ['1:8: Tags are not supported here']],
    ['a tag of YAML itself', 'users:\n  - name: !!str 5', ['2:17: Tags are not supported here']],
    ['binary', 'users: !!binary aGk=', ['1:17: Tags are not supported here']],
    ['a merge key', 'groups:\n  <<: { g: {} }', ['2:9: Unknown field "g"']],
    ['a prototype', 'prices:\n  __proto__: { input: 1, output: 1 }', ['2:3: This name is not allowed']],
    ['a NUL', 'users: [{ name: "a\\0b" }]', ['1:17: Expected text without NUL and broken characters']],
    ['a list as a name', '? [a]\n: 1', ['1:3: A name must be text']],
    ['two documents', 'groups: {}\n---\ngroups: {}', ['2:1: The file holds more than one document']],
    ['a tab', 'groups:\n\tg: {}', ['2:1: Tabs are not allowed as indentation']],
    ['an unknown alias', 'users: *nobody', ['1:8: No anchor with this name was defined before']],
  ])('%s', (_name, text, expected) => {
    expect(problems(text)).toEqual(expected)
  })

  test('all of them at once, in the order of the file, and no more than twenty', () => {
    expect(problems('users:\n  - nam: a\n  - { name: b, rol: x }')).toEqual([
      '2:5: Unknown field "nam"',
      '2:5: Missing field "name"',
      '3:16: Unknown field "rol"',
    ])
    const many = problems(`groups: {${Array.from({ length: 30 }, (_, i) => `g${i}: { x: 1 }`).join(', ')}}`)
    expect(many).toHaveLength(21)
    expect(many.at(-1)).toEndWith('and 10 more')
  })

  test('values never appear in a message', () => {
    const secret = 'hush-hush-hush'
    for (const text of [
      `channels: [{ name: c, vendor: "\${S}", keys: ["\${S}"], models: ["\${S}"], weight: "\${S}", baseUrl: "\${S}" }]`,
      `keys: [{ name: "\${S}", user: "\${S}", key: "\${S}" }]`,
      `users: "x" ${secret}`,
      `users: [${secret}`,
      `users: {${secret}: [}`,
      `- *${secret}`,
      `%${secret}\n---\n`,
      `"${secret}`,
      `prices: { m: { input: ${secret} } }`,
    ]) {
      const found = problems(text, { S: secret })
      expect(found.length).toBeGreaterThan(0)
      expect(found.join('\n')).not.toContain(secret)
    }
  })
})

describe('anchors', () => {
  test('repeat what they name', () => {
    const { prices } = fine('prices:\n  a: &p { input: 0.1, output: 2 }\n  b: *p')
    expect(prices).toEqual([
      { model: 'a', fields: { input: '0.1', output: '2' } },
      { model: 'b', fields: { input: '0.1', output: '2' } },
    ])
  })

  test('that multiply themselves are refused quickly', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `  l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`)
    const text = `channels:\n- name: c\n  vendor: demo\n  models: [m]\n  params: { set: { bomb: &l0 [x] } }\ngroups:\n${levels.join('\n')}`
    expect(problems(text)[0]).toContain('nested too deeply, too large, or refers to itself')
  })

  test('that hold themselves, and nesting without end, are refused', () => {
    expect(problems('groups: &g\n  a: *g')[0]).toContain('refers to itself')
    expect(problems(`a: ${'['.repeat(100)}${']'.repeat(100)}`)[0]).toContain('nested too deeply')
    expect(problems('['.repeat(30_000))).not.toEqual([])
  })
})
