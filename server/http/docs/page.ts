/**
 * The reference page: one document without scripts or external resources, built from the same tables as the API document and
 * the tests.
 */
import { errorWriters } from '#protocols/index'
import { type Carrier, carriers } from '#shared/api/carriers'
import { endsAnswers, errorWords, retryOf } from '#shared/api/errors'
import { type Streaming, streaming } from '#shared/api/events'
import type { Sample } from '#shared/api/sample'
import { samples } from '#shared/api/samples'
import { type ErrorCode, errorTable, GatewayError, isDocumented } from '#shared/errors'
import { type Html, html, listing, prose, type Section, table } from './html.ts'
import { limits } from './limit-page.ts'
import { losses } from './loss-page.ts'
import type { DescribedRoute } from './openapi.ts'
import { type Tag, tags } from './route-doc.ts'
import { type Language, type Say, sentences } from './say.ts'
import { style } from './style.ts'

/** What the reference page is built from. */
export interface Reference {
  routeDocs: readonly DescribedRoute[]
  /** The address at which clients reach Parley. */
  publicUrl: URL
  version: string
  /** docs/losses.md; undefined where it is not installed. */
  losses: string | undefined
  /** CHANGELOG.md; undefined where it is not installed. */
  changelog: string | undefined
  say: Say
}

/** The reference page as HTML, in this language, which is that of `reference.say`. */
export function referencePage(reference: Reference, language: Language): string {
  const { say, version } = reference
  const sections = [
    start(reference),
    keys(say),
    endpointSection(reference.routeDocs, say),
    events(say),
    errors(say),
    limits(say),
    ...losses(reference.losses, say),
  ]
  const other = otherLanguage[language]
  const contents = sections.map(
    ({ id, title, deep = [] }) =>
      html`<li><a href="#${id}">${title}</a>${
        deep.length > 0 ? html`<ul class="deep">${deep.map((one) => html`<li><a href="#${one.id}">${one.title}</a></li>`)}</ul>` : ''
      }</li>\n`,
  )
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${say('Parley API reference')}</title>
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#content">${say('Skip to content')}</a>
<div class="frame">
<nav aria-label="${say('Contents')}"><ul>
${contents}</ul></nav>
<main id="content">
<h1>${say('Parley API reference')}</h1>
<p class="lead">${say('One API for every AI model, in the protocol that your client already uses.')}</p>
<p class="meta">${say('Version {version}', { version })} · <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1) · ${
    reference.changelog === undefined ? '' : html`<a href="/docs/changelog.md">${say('Changelog')}</a> · `
  }<a href="/docs.html?language=${other.id}" hreflang="${other.id}" lang="${other.id}">${other.name}</a></p>
${sections.map(({ id, title, content }) => html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n${content}</section>\n`)}</main>
</div>
</body>
</html>
`
  return page.html
}

const otherLanguage: Record<Language, { id: Language; name: string }> = {
  en: { id: 'zh', name: '中文' },
  zh: { id: 'en', name: 'English' },
}

/** Setup for the samples. */
export function start({ publicUrl, say }: Reference): Section {
  const { origin } = publicUrl
  const paragraph = (text: string) => html`<p>${prose(say(text, { origin }))}</p>`
  const content = html`${paragraph('The samples are shell commands. They read the address and the API key from environment variables; the playground’s sample also needs a user name and a password:')}
${listing(say('Variables of the samples'), `export PARLEY_URL=${origin}\nexport PARLEY_KEY=sk-...\nexport PARLEY_USER=... PARLEY_PASSWORD=...`)}
${paragraph('They use the built-in demo models, which need no account anywhere. The demo channel must be enabled (`PARLEY_DEMO=on`, or no other channel yet). They work the same with your own models.')}
${paragraph('The base URL is `{origin}/v1` for OpenAI clients, and `{origin}` for Anthropic and Google clients.')}`
  return { id: 'start', title: say('Before you start'), content }
}

/** Ways to send a key. */
export function keys(say: Say): Section {
  const where: Record<Carrier['place'], string> = { header: 'header', query: 'URL', subprotocol: 'WebSocket subprotocol' }
  const rows = carriers.map(({ written, place, usedBy }) => [`\`${written}\``, say(where[place]), say(usedBy)])
  const paragraph = (text: string) => html`<p>${prose(say(text))}</p>`
  const content = html`${paragraph('API keys begin with `sk-`. Every endpoint accepts a key in any of these places. A request with two different keys is refused with `conflicting_credentials`.')}
${table(say('Ways to send a key'), [say('Sent as'), say('Place'), say('Used by')], rows)}
${paragraph('`/v1` and `/v1beta` ignore cookies. `/pg` and `/api` ignore API keys: they require the session cookie that `POST /api/session` sets, and accept writes only from Parley’s own origin. `/api` also takes management keys, `Authorization: Bearer pk-...`, within their scopes.')}
${paragraph('The Messages protocol also requires a version header, `anthropic-version` or `partner-version`, with a date (YYYY-MM-DD).')}`
  return { id: 'keys', title: say('Keys'), content }
}

function endpointSection(routeDocs: readonly DescribedRoute[], say: Say): Section {
  const chapters = (Object.keys(tags) as Tag[]).map((tag) => ({ tag, own: routeDocs.filter(({ doc }) => doc.tag === tag) }))
  const present = chapters.filter(({ own }) => own.length > 0)
  const content = html`${present.map(
    ({ tag, own }) =>
      html`<h3 id="${tag.toLowerCase()}">${say(tag)}</h3>\n<p>${say(tags[tag])}</p>\n${
        tag === 'Console' ? consoleTable(own, say) : html`${own.map((route) => endpointEntry(route, say))}`
      }`,
  )}`
  return { id: 'endpoints', title: say('Endpoints'), content, deep: present.map(({ tag }) => ({ id: tag.toLowerCase(), title: say(tag) })) }
}

const consoleTable = (routeDocs: readonly DescribedRoute[], say: Say): Html =>
  table(
    say('Endpoints of the console'),
    [say('Endpoint'), say('Description'), say('Access')],
    routeDocs.map(({ method, path, doc }) => [`\`${method} ${path}\``, about(doc, say), say(callers[doc.who])]),
  )

/** Who may call an endpoint. */
export const callers = { anyone: 'anyone', key: 'an API key', session: 'a signed-in user', admin: 'an administrator' } as const

const about = ({ summary, description }: DescribedRoute['doc'], say: Say): string =>
  sentences([say('{summary}.', { summary: say(summary) }), description === undefined ? '' : say(description)])

function endpointEntry({ method, path, doc }: DescribedRoute, say: Say): Html {
  const own = samples.filter((sample) => sample.route === `${method} ${path}`)
  const sent = [doc.takes?.json && 'JSON', doc.takes?.form && say('a form')].filter((one) => one !== undefined).join(say(' or '))
  const facts = sentences([
    say('For {who}.', { who: say(callers[doc.who]) }),
    sent && say('Takes {what}.', { what: sent }),
    doc.gives.events ? say('Streams when asked to.') : '',
  ])
  const parameters = (doc.parameters ?? []).map(
    ({ name, in: place, description }) =>
      html`<li>${prose(say('`{name}` ({place}): {means}', { name, place: say(place), means: say(description) }))}</li>`,
  )
  return html`<h4 class="address"><span class="method">${method}</span> <code>${path}</code></h4>
<p>${prose(about(doc, say))} <span class="meta">${facts}</span></p>
${parameters.length > 0 ? html`<ul>${parameters}</ul>` : ''}
${own.map((sample) => sampleEntry(sample, path, say))}`
}

const sampleEntry = ({ note, text }: Sample, path: string, say: Say): Html =>
  html`${note === undefined ? '' : html`<p>${prose(say(note))}</p>`}${listing(say('Sample of {path}', { path }), text)}\n`

/** Each kind of stream as a separate part. */
export const streamSections = (say: Say): Section[] =>
  Object.entries(streaming).map(([id, one]) => ({
    id: `stream-${id}`,
    title: say(one.title),
    content: streamEntry(`stream-${id}`, one, say),
  }))

function events(say: Say): Section {
  const content = html`<p>${prose(say('Parley sends nothing until the upstream’s first event, so that errors before it have their own HTTP status. After 15 seconds of waiting it sends the response head and a heartbeat; errors after that arrive as events. A stream without its final event was cut off: Parley never makes an incomplete answer look complete.'))}</p>
${Object.entries(streaming).map(([id, one]) => streamEntry(`stream-${id}`, one, say))}`
  return {
    id: 'streams',
    title: say('Streams'),
    content,
    deep: Object.entries(streaming).map(([id, { title }]) => ({ id: `stream-${id}`, title: say(title) })),
  }
}

function streamEntry(id: string, { title, asked, framing, events: known, end, failure, waiting }: Streaming, say: Say): Html {
  const line = (text: string, what: string) => html`<li>${prose(say(text, { what: say(what) }))}</li>\n`
  return html`<h3 id="${id}">${say(title)}</h3>
<ul>
${line('Requested with: {what}', asked)}${line('Framing: {what}', framing)}${line('Ends with: {what}', end)}${line('On failure: {what}', failure)}${line('While waiting: {what}', waiting)}</ul>
${table(
  say('Events of {what}', { what: say(title) }),
  [say('Event'), say('Meaning')],
  known.map(({ name, means }) => [html`<code>${name}</code>`, say(means)]),
)}
`
}

const retries = { no: 'no', later: 'after `Retry-After`', maybe: 'may help' } as const

/** Envelopes and codes. */
export function errors(say: Say): Section {
  const codes = (Object.keys(errorTable) as ErrorCode[]).filter((code) => code !== 'client_closed_request')
  const known = codes.map((code) => new GatewayError(code, ''))
  const rows = known.map((error) => [
    html`<code>${String(error.publicCode)}</code><br>${prose(say(errorWords[error.code]))}`,
    say(endsAnswers.has(error.code) ? 'what was delivered' : 'no'),
    say(retries[retryOf(error.code)]),
    `${error.status} ${error.type}`,
    messagesTerms(error),
    geminiTerms(error),
  ])
  // An upstream's codes are listed under the names of Parley's own.
  const anchorOf = (row: number) => {
    const { code = '' } = known[row] ?? {}
    return isDocumented(code) ? `error-${code}` : undefined
  }
  const content = html`<p>${prose(say('Errors use the format of the endpoint’s protocol, with a code from this table. `x-request-id` identifies the request, and `param` names the faulty field. Refused requests are not charged.'))}</p>
${listing(say('Envelopes'), 'OpenAI    {"error": {"message": "...", "type": "...", "code": "...", "param": null}}\nMessages  {"type": "error", "error": {"type": "...", "message": "...", "code": "..."}, "request_id": "..."}\nGemini    {"error": {"code": 400, "message": "...", "status": "...", "details": [{"reason": "..."}]}}')}
${table(say('Error codes'), [say('Code and meaning'), say('Charged'), say('Retry'), say('OpenAI, console'), 'Messages', 'Gemini'], rows, anchorOf)}
<p>${prose(say('`Retry-After` is sent when a later retry can succeed, `x-should-retry: false` when no retry can.'))}</p>`
  return { id: 'errors', title: say('Errors'), content }
}

function messagesTerms(error: GatewayError): string {
  const { status, body } = errorWriters.messages(error)
  return `${status} ${JSON.parse(body).error.type}`
}

function geminiTerms(error: GatewayError): string {
  const { status, body } = errorWriters.gemini(error)
  return `${status} ${JSON.parse(body).error.status}`
}
