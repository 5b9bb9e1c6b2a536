/** What places are sent: forms and signatures as their pages have them. */
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { alertForms } from '#shared/console/alert'
import { messageFor, type OutgoingAlert, refusalIn } from './message.ts'

const told: OutgoingAlert = {
  id: 'al_1',
  kind: 'budget',
  at: new Date(1_700_000_000_000),
  data: { text: 'The budget is used up.', link: 'https://ai.example.com/keys', subject: null, facts: { left: '0' } },
}
const now = 1_700_000_123_456
const url = 'https://hooks.example.com/x?access_token=t'
const both = 'The budget is used up.\nhttps://ai.example.com/keys'

test('plain HTTP verifies as Standard Webhooks does', () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  const { headers, body } = messageFor('http', told, { url, secret }, now)
  expect(JSON.parse(body)).toEqual({ type: 'parley.budget', timestamp: '2023-11-14T22:13:20.000Z', data: told.data })
  expect([headers['webhook-id'], headers['webhook-timestamp']]).toEqual(['al_1', '1700000123'])
  const expected = createHmac('sha256', '0123456789abcdef0123456789abcdef').update(`al_1.1700000123.${body}`).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${expected}`)
})

test('Standard Webhooks, the example of its own libraries', () => {
  // The vector that the reference implementations of the specification share.
  const sign = createHmac('sha256', Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'))
    .update('msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}')
    .digest('base64')
  expect(sign).toBe('g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

describe('chats', () => {
  const sent = (form: 'slack' | 'feishu' | 'dingtalk' | 'wecom', secret: string | null = null) => {
    const message = messageFor(form, told, { url, secret }, now)
    return { url: new URL(message.url), body: JSON.parse(message.body) }
  }

  test('each in its own words', () => {
    expect(sent('slack').body).toEqual({ text: both })
    expect(sent('feishu').body).toEqual({ msg_type: 'text', content: { text: both } })
    expect(sent('dingtalk').body).toEqual({ msgtype: 'text', text: { content: both } })
    expect(sent('wecom').body).toEqual({ msgtype: 'text', text: { content: both } })
  })

  test('Feishu signs nothing with seconds and secret, DingTalk milliseconds and secret with the secret', () => {
    const { body } = sent('feishu', 'robot')
    expect(body.timestamp).toBe('1700000123')
    expect(body.sign).toBe(createHmac('sha256', '1700000123\nrobot').update('').digest('base64'))
    const { searchParams } = sent('dingtalk', 'robot').url
    expect(searchParams.get('access_token')).toBe('t')
    expect(searchParams.get('timestamp')).toBe(String(now))
    expect(searchParams.get('sign')).toBe(createHmac('sha256', 'robot').update(`${now}\nrobot`).digest('base64'))
  })
})

test('a refusal inside a 200 is a refusal, a good code is none', () => {
  const isRefused = (text: string) => alertForms.filter((form) => form !== 'smtp' && refusalIn(form, 200, text) !== undefined)
  expect(isRefused('{"errcode":310000,"errmsg":"sign not match"}')).toEqual(['feishu', 'dingtalk', 'wecom'])
  expect(isRefused('{"code":19021}')).toEqual(['feishu', 'dingtalk', 'wecom'])
  expect(isRefused('{"errcode":0,"errmsg":"ok"}')).toEqual([])
  expect(isRefused('ok')).toEqual([])
  expect(refusalIn('http', 302, '')).toBe('HTTP 302')
})
