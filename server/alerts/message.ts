/**
 * The request to a hook: body and headers by its form, and whether the answer means that it was delivered.
 *
 * Plain HTTP follows Standard Webhooks 1.0 (`webhook-id`, `webhook-timestamp`, `webhook-signature`). The forms of Slack, Feishu, DingTalk
 * and WeCom are those of their incoming webhooks; the last three also answer 200 for a refusal, and name it in the body.
 */
import { createHmac } from 'node:crypto'
import type { AlertData, AlertForm, AlertKind } from '#shared/console/alert'

/** An alert to send. */
export interface OutgoingAlert {
  id: string
  kind: AlertKind
  at: Date
  data: AlertData
}

/** An HTTP request. */
export interface Message {
  url: string
  headers: Record<string, string>
  body: string
}

/** The hook's address. */
export interface Target {
  url: string
  secret: string | null
}

/** The text that people read. */
export const lineOf = ({ text, link }: AlertData): string => (link === null ? text : `${text}\n${link}`)

const json = (value: unknown) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })

type Write = (alert: OutgoingAlert, target: Target, now: number) => Message

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8').digest('base64')

/** The key inside `whsec_...`. */
const keyOf = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

const writers: Record<Exclude<AlertForm, 'smtp'>, Write> = {
  http({ id, kind, at, data }, { url, secret }, now) {
    const { headers, body } = json({ type: `parley.${kind}`, timestamp: at.toISOString(), data })
    const seconds = String(Math.floor(now / 1000))
    const signature = `v1,${hmac(keyOf(secret ?? ''), `${id}.${seconds}.${body}`)}`
    return { url, body, headers: { ...headers, 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature } }
  },
  slack: ({ data }, { url }) => ({ url, ...json({ text: lineOf(data) }) }),
  feishu({ data }, { url, secret }, now) {
    const timestamp = String(Math.floor(now / 1000))
    // The string to sign is used as the key, and the message is empty, as their documentation says.
    const sign = secret === null ? {} : { timestamp, sign: hmac(`${timestamp}\n${secret}`, '') }
    return { url, ...json({ ...sign, msg_type: 'text', content: { text: lineOf(data) } }) }
  },
  dingtalk({ data }, { url, secret }, now) {
    const to = new URL(url)
    if (secret !== null) {
      to.searchParams.set('timestamp', String(now))
      to.searchParams.set('sign', hmac(secret, `${now}\n${secret}`))
    }
    return { url: to.href, ...json({ msgtype: 'text', text: { content: lineOf(data) } }) }
  },
  wecom: ({ data }, { url }) => ({ url, ...json({ msgtype: 'text', text: { content: lineOf(data) } }) }),
}

/** The request for a hook. `now`: milliseconds since the epoch. */
export const messageFor = (form: Exclude<AlertForm, 'smtp'>, alert: OutgoingAlert, target: Target, now: number): Message =>
  writers[form](alert, target, now)

/** Why an answer does not mean delivery; undefined where it does. `text`: the beginning of the body. */
export function refusalIn(form: AlertForm, status: number, text: string): string | undefined {
  if (status < 200 || status > 299) return `HTTP ${status}`
  if (form !== 'feishu' && form !== 'dingtalk' && form !== 'wecom') return undefined
  const answer = objectIn(text)
  const code = answer.errcode ?? answer.code ?? answer.StatusCode
  return code === undefined || code === 0 ? undefined : `HTTP ${status}, code ${String(code).slice(0, 20)}`
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
