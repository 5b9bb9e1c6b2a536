/**
 * Sends an alert to a hook, once. Addresses are set by administrators, like base URLs of channels: private ones are fine,
 * link-local and metadata addresses are never reached, and a name's addresses are checked before they are used.
 */
import type { Transporter } from 'nodemailer'
import type { Clock } from '#runtime/clock'
import type { AlertForm } from '#shared/console/alert'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { AddressCheck } from '#upstream/addresses'
import type { Upstream } from '#upstream/upstream'
import { lineOf, type Message, messageFor, type OutgoingAlert, refusalIn, type Target } from './message.ts'

/** A hook with its secrets decrypted. */
export interface Place extends Target {
  form: AlertForm
  from: string | null
  to: readonly string[] | null
}

/** The result of a delivery. */
export interface Outcome {
  ok: boolean
  /** In words, containing nothing of the answer but its status and code. */
  answer: string
}

const limitMs = 15_000
const answerBytes = 16 * 1024

/** Sends; never rejects. */
export type Send = (place: Place, alert: OutgoingAlert) => Promise<Outcome>

/** `check`: the rule for addresses of channels. */
export function createSend({ upstream, check, clock }: { upstream: Upstream; check: AddressCheck; clock: Clock }): Send {
  async function byHttp(form: Exclude<AlertForm, 'smtp'>, place: Place, alert: OutgoingAlert): Promise<Outcome> {
    const late = new AbortController()
    const limit = clock.after(limitMs, () => late.abort(new GatewayError('upstream_timeout', 'The hook’s server did not answer in time.')))
    try {
      return await posted(form, messageFor(form, alert, place, clock.now()), late.signal)
    } finally {
      limit.cancel()
    }
  }

  async function posted(form: Exclude<AlertForm, 'smtp'>, message: Message, signal: AbortSignal): Promise<Outcome> {
    const answer = await upstream.open({ method: 'POST', ...message }, signal)
    let text = ''
    const decoder = new TextDecoder()
    try {
      for (let size = 0; size < answerBytes; ) {
        const piece = await answer.read()
        if (piece === undefined) break
        size += piece.byteLength
        text += decoder.decode(piece, { stream: true })
      }
    } finally {
      answer.cancel()
    }
    const refusal = refusalIn(form, answer.status, text)
    return { ok: refusal === undefined, answer: refusal ?? `HTTP ${answer.status}` }
  }

  /** The library does not resolve the name itself: it gets a checked address. */
  async function byMail(place: Place, { id, data }: OutgoingAlert): Promise<Outcome> {
    const url = new URL(place.url)
    const isSecure = url.protocol === 'smtps:'
    const web = `https://${url.host}`
    await check(web)
    const [address = url.hostname.replace(/^\[|\]$/g, '')] = check.addressesOf?.(web) ?? []
    const { createTransport } = await import('nodemailer')
    const transport: Transporter = createTransport({
      host: address,
      port: Number(url.port || (isSecure ? 465 : 587)),
      secure: isSecure,
      // A password is never sent in the clear.
      requireTLS: !isSecure && url.password !== '',
      // Certificates are for server names; a server reached by IP address must prove that address.
      tls: isAddress(url.hostname) ? {} : { servername: url.hostname },
      ...(url.username !== '' && { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
      connectionTimeout: limitMs,
      greetingTimeout: limitMs,
      socketTimeout: limitMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      const subject = `Parley: ${data.text.slice(0, 120)}`
      const text = [lineOf(data), ...Object.entries(data.facts).map(([name, value]) => `${name}: ${value}`)].join('\n')
      await transport.sendMail({ from: place.from ?? '', to: [...(place.to ?? [])], subject, text, messageId: `<${id}@parley>` })
      return { ok: true, answer: 'accepted' }
    } finally {
      transport.close()
    }
  }

  return async (place, alert) => {
    try {
      return place.form === 'smtp' ? await byMail(place, alert) : await byHttp(place.form, place, alert)
    } catch (thrown) {
      return { ok: false, answer: place.form === 'smtp' ? mailFault(thrown) : asGatewayError(thrown).message }
    }
  }
}

const isAddress = (hostname: string) => hostname.startsWith('[') || /^[\d.]+$/.test(hostname)

/** The library's error codes for an unreachable mail server. */
const mailFaults: Record<string, string> = {
  EDNS: 'The name of the mail server cannot be resolved.',
  ECONNECTION: 'The mail server cannot be reached.',
  ESOCKET: 'The mail server cannot be reached.',
  ETIMEDOUT: 'The mail server did not answer in time.',
  EAUTH: 'The mail server rejected the user or password.',
  ETLS: 'The mail server offers no encryption; passwords are never sent without it.',
}

/** A mail server's reply is not shown: it may repeat what it was sent. */
function mailFault(thrown: unknown): string {
  const { code, responseCode, message } = thrown as { code?: unknown; responseCode?: unknown; message?: unknown }
  if (typeof responseCode === 'number') return `SMTP ${responseCode}${code === 'EAUTH' ? ': user or password is wrong' : ''}`
  // A local error message.
  if (/certificate|altnames/i.test(String(message))) return 'The certificate of the mail server is not trusted (NODE_EXTRA_CA_CERTS).'
  if (typeof code !== 'string') return 'SMTP failed'
  return mailFaults[code] ?? (/^[A-Z_]{1,40}$/.test(code) ? `SMTP failed: ${code}` : 'SMTP failed')
}
