/**
 * The reference page: one document without scripts or external resources, built from the same tables as the API document and
 * the tests.
 */
import { errorWriters } from '#protocols/index'
import { type Carrier, carriers } from '#shared/api/carriers'
import { errorWords } from '#shared/api/errors'
import { type Streaming, streaming } from '#shared/api/events'
import type { Sample } from '#shared/api/sample'
import { samples } from '#shared/api/samples'
import { type ErrorCode, errorTable, GatewayError } from '#shared/errors'
import { type Html, html, listing, prose, table } from './html.ts'
import { type LossChapter, type LossTable, readLosses } from './losses.ts'
import type { DescribedRoute } from './openapi.ts'
import { type Tag, tags } from './route-doc.ts'
import { style } from './style.ts'

/** What the reference page is built from. */
export interface Reference {
  routeDocs: readonly DescribedRoute[]
  /** The address at which clients reach Parley. */
  publicUrl: URL
  version: string
  /** docs/losses.md; undefined where it is not installed. */
  losses: string | undefined
}

/** A part of the reference. */
export interface Section {
  id: string
  title: string
  content: Html
  /** Subsections in the table of contents. */
  deep?: readonly { id: string; title: string }[]
}

/** The reference page as HTML. */
export function referencePage(reference: Reference): string {
  const sections = [start(reference), keys(), endpointSection(reference.routeDocs), events(), errors(), ...losses(reference.losses)]
  const contents = sections.map(
    ({ id, title, deep = [] }) =>
      html`<li><a href="#${id}">${title}</a>${
        deep.length > 0 ? html`<ul class="deep">${deep.map((one) => html`<li><a href="#${one.id}">${one.title}</a></li>`)}</ul>` : ''
      }</li>\n`,
  )
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley: API reference</title>
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div class="frame">
<nav aria-label="Contents"><ul>
${contents}</ul></nav>
<main id="content">
<h1>Parley API reference</h1>
<p class="lead">One API for every AI model, in the protocol that your client already uses. Machine-readable: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). Version ${reference.version}.</p>
${sections.map(({ id, title, content }) => html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n${content}</section>\n`)}</main>
</div>
</body>
</html>
`
  return page.html
}

/** What the samples need. */
export function start({ publicUrl }: Reference): Section {
  const content = html`<p>The samples are shell commands. They read the address and the API key from environment variables; the playground’s sample also needs a user name and a password:</p>
${listing('Variables of the samples', `export PARLEY_URL=${publicUrl.origin}\nexport PARLEY_KEY=sk-...\nexport PARLEY_USER=... PARLEY_PASSWORD=...`)}
<p>They use the built-in demo models, which need no account anywhere. The demo channel must be enabled (<code>PARLEY_DEMO=on</code>, or no other channel yet). They work the same with your own models.</p>
<p>The base URL is <code>${publicUrl.origin}/v1</code> for OpenAI clients, and <code>${publicUrl.origin}</code> for Anthropic and Google clients.</p>`
  return { id: 'start', title: 'Before you start', content }
}

/** Ways to send a key. */
export function keys(): Section {
  const where: Record<Carrier['place'], string> = { header: 'header', query: 'URL', subprotocol: 'WebSocket subprotocol' }
  const rows = carriers.map(({ written, place, usedBy }) => [`\`${written}\``, where[place], usedBy])
  const content = html`<p>${prose('API keys begin with `sk-`. Every endpoint accepts a key in any of these places. A request with two different keys is refused with `conflicting_credentials`.')}</p>
${table('Ways to send a key', ['Sent as', 'Place', 'Used by'], rows)}
<p>${prose('`/v1` and `/v1beta` ignore cookies. `/pg` and `/api` ignore API keys: they require the session cookie that `POST /api/session` sets, and accept writes only from Parley’s own origin. `/api` also takes management keys, `Authorization: Bearer pk-...`, within their scopes.')}</p>
<p>${prose('The Messages protocol also requires a version header, `anthropic-version` or `partner-version`, with a date (YYYY-MM-DD).')}</p>`
  return { id: 'keys', title: 'Keys', content }
}

function endpointSection(routeDocs: readonly DescribedRoute[]): Section {
  const chapters = (Object.keys(tags) as Tag[]).map((tag) => ({ tag, own: routeDocs.filter(({ doc }) => doc.tag === tag) }))
  const present = chapters.filter(({ own }) => own.length > 0)
  const content = html`${present.map(
    ({ tag, own }) =>
      html`<h3 id="${tag.toLowerCase()}">${tag}</h3>\n<p>${tags[tag]}</p>\n${
        tag === 'Console' ? consoleTable(own) : html`${own.map(endpointEntry)}`
      }`,
  )}`
  return { id: 'endpoints', title: 'Endpoints', content, deep: present.map(({ tag }) => ({ id: tag.toLowerCase(), title: tag })) }
}

const consoleTable = (routeDocs: readonly DescribedRoute[]): Html =>
  table(
    'Endpoints of the console',
    ['Endpoint', 'Description', 'Access'],
    routeDocs.map(({ method, path, doc }) => [`\`${method} ${path}\``, [doc.summary, doc.description].filter(Boolean).join('. '), doc.who]),
  )

const callers = { anyone: 'Anyone', key: 'Key', session: 'Session', admin: 'Administrator' } as const

function endpointEntry({ method, path, doc }: DescribedRoute): Html {
  const own = samples.filter((sample) => sample.route === `${method} ${path}`)
  const sent = [doc.takes?.json && 'JSON', doc.takes?.form && 'a form'].filter((one) => one !== undefined).join(' or ')
  const facts = [callers[doc.who], sent && `takes ${sent}`, doc.gives.events && 'streams'].filter(Boolean).join(' · ')
  const parameters = (doc.parameters ?? []).map((one) => html`<li><code>${one.name}</code> (${one.in}): ${prose(one.description)}</li>`)
  return html`<h4 class="address"><span class="method">${method}</span> <code>${path}</code></h4>
<p>${doc.summary}. ${prose(doc.description ?? '')} <span class="meta">${facts}</span></p>
${parameters.length > 0 ? html`<ul>${parameters}</ul>` : ''}
${own.map((sample) => sampleEntry(sample, path))}`
}

const sampleEntry = ({ note, text }: Sample, path: string): Html =>
  html`${note === undefined ? '' : html`<p>${prose(note)}</p>`}${listing(`Sample of ${path}`, text)}\n`

/** Each kind of stream as a part of its own. */
export const streamSections = (): Section[] =>
  Object.entries(streaming).map(([id, one]) => ({ id: `stream-${id}`, title: one.title, content: streamEntry(`stream-${id}`, one) }))

function events(): Section {
  const content = html`<p>${prose('Parley sends nothing until the upstream’s first event, so that errors before it have their HTTP status. After 15 seconds of waiting it sends the response head and a heartbeat; errors after that arrive as events. A stream without its final event was cut off: Parley never makes an incomplete answer look complete.')}</p>
${Object.entries(streaming).map(([id, one]) => streamEntry(`stream-${id}`, one))}`
  return {
    id: 'streams',
    title: 'Streams',
    content,
    deep: Object.entries(streaming).map(([id, { title }]) => ({ id: `stream-${id}`, title })),
  }
}

const streamEntry = (
  id: string,
  { title, asked, framing, events: known, end, failure, waiting }: Streaming,
): Html => html`<h3 id="${id}">${title}</h3>
<ul>
<li>Requested with: ${prose(asked)}</li>
<li>Framing: ${prose(framing)}</li>
<li>Ends with: ${prose(end)}</li>
<li>On failure: ${prose(failure)}</li>
<li>While waiting: ${prose(waiting)}</li>
</ul>
${table(
  `Events of ${title}`,
  ['Event', 'Meaning'],
  known.map(({ name, means }) => [html`<code>${name}</code>`, means]),
)}
`

/** Envelopes and codes. */
export function errors(): Section {
  const codes = (Object.keys(errorTable) as ErrorCode[]).filter((code) => code !== 'client_closed_request')
  const rows = codes.map((code) => {
    const error = new GatewayError(code, '')
    const own = String(error.publicCode)
    const named = html`<code>${own}</code><br>${prose(errorWords[code])}`
    return [named, `${error.status} ${error.type}`, messagesTerms(error), geminiTerms(error)]
  })
  const content = html`<p>${prose('Errors use the format of the endpoint’s protocol, with a code from this table. `x-request-id` identifies the request, and `param` names the faulty field. Refused requests are not charged.')}</p>
${listing('Envelopes', 'OpenAI    {"error": {"message": "...", "type": "...", "code": "...", "param": null}}\nMessages  {"type": "error", "error": {"type": "...", "message": "...", "code": "..."}, "request_id": "..."}\nGemini    {"error": {"code": 400, "message": "...", "status": "...", "details": [{"reason": "..."}]}}')}
${table('Error codes', ['Code and meaning', 'OpenAI, console', 'Messages', 'Gemini'], rows)}
<p>${prose('`Retry-After` is sent when a later retry can succeed, `x-should-retry: false` when no retry can.')}</p>`
  return { id: 'errors', title: 'Errors', content }
}

function messagesTerms(error: GatewayError): string {
  const { status, body } = errorWriters.messages(error)
  return `${status} ${JSON.parse(body).error.type}`
}

function geminiTerms(error: GatewayError): string {
  const { status, body } = errorWriters.gemini(error)
  return `${status} ${JSON.parse(body).error.status}`
}

/** What conversions change or drop; nothing where docs/losses.md is not installed. */
export function losses(markdown: string | undefined): Section[] {
  if (markdown === undefined) return []
  const { intro, legend, chapters } = readLosses(markdown)
  const content = html`${intro.slice(0, 1).map((text) => html`<p>${prose(text)}</p>\n`)}<ul>${legend.map((text) => html`<li>${prose(text)}</li>`)}</ul>
${intro.slice(1).map((text) => html`<p>${prose(text)}</p>\n`)}${chapters.map(lossChapter)}`
  return [{ id: 'losses', title: 'Losses', content, deep: chapters.map(({ title }) => ({ id: idOf(title), title })) }]
}

const idOf = (title: string) => `losses-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`

const lossChapter = ({ title, intro, tables }: LossChapter): Html =>
  html`<h3 id="${idOf(title)}">${title}</h3>\n${intro.map((text) => html`<p>${prose(text)}</p>\n`)}${tables.map((one) => lossTable(title, one))}`

const lossTable = (chapter: string, { title, head, rows, reasons }: LossTable): Html => html`<h4>${title}</h4>
${table(`${chapter}: ${title}`, head, rows)}
${reasons.length > 0 ? html`<details><summary>Reasons</summary><ol>${reasons.map((text) => html`<li>${prose(text)}</li>`)}</ol></details>` : ''}
`
