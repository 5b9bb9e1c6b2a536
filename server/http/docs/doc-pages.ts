/** The reference as pages: what `/docs` in the console shows, from the same tables as the API document and the tests. */

import { samples } from '#shared/api/samples'
import { schemas } from '#shared/api/schemas'
import { sdkSamples } from '#shared/api/sdk-samples'
import type { DocEndpoint, DocPage, DocSample, Docs } from '#shared/console/docs'
import { scopes } from '#shared/console/management-key'
import { fieldsOf } from './fields.ts'
import { type Html, html, listing, prose, table } from './html.ts'
import type { DescribedRoute } from './openapi.ts'
import { errors, keys, losses, type Reference, type Section, start, streamSections } from './page.ts'
import { type Tag, tags } from './route-doc.ts'

/** The pages of the reference. */
export function docPages(reference: Reference): Docs {
  const page = (group: string, { id, title, content }: Section): DocPage => ({ id, group, title, html: content.html, endpoints: [] })
  const chapters = (Object.keys(tags) as Tag[]).map((tag): DocPage => {
    const own = reference.routeDocs.filter(({ doc }) => doc.tag === tag)
    return { id: tag.toLowerCase(), group: 'Endpoints', title: tag, html: html`<p>${tags[tag]}</p>`.html, endpoints: own.map(endpointOf) }
  })
  return {
    version: reference.version,
    pages: [
      page('Start', { ...start(reference), title: 'Quickstart' }),
      page('Start', keys()),
      page('Start', errors()),
      ...chapters.filter(({ endpoints }) => endpoints.length > 0),
      ...streamSections().map((section) => page('Streams', section)),
      page('Manage', managementKeys(reference)),
      ...losses(reference.losses).map((section) => page('How Parley works', { ...section, title: 'What is converted' })),
    ],
  }
}

const callers = { anyone: 'anyone', key: 'an API key', session: 'a signed-in user', admin: 'an administrator' } as const

function endpointOf({ method, path, doc, openedBy }: DescribedRoute): DocEndpoint {
  const route = `${method} ${path}`
  const [takes] = [doc.takes?.json ?? doc.takes?.form]
  const [gives] = doc.gives.json ?? []
  const opened = openedBy && openedBy.length > 0 ? ` Management keys: ${openedBy.map((scope) => `\`${scope}\``).join(' or ')}.` : ''
  const parameters = (doc.parameters ?? []).map((one) => html`<li><code>${one.name}</code> (${one.in}): ${prose(one.description)}</li>`)
  const facts = `For ${callers[doc.who]}.${opened}${doc.gives.events ? ' Streams when asked to.' : ''}`
  const own = samplesOf(route)
  return {
    id: route
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, ''),
    method,
    path,
    summary: doc.summary,
    html: html`${doc.description === undefined ? '' : html`<p>${prose(doc.description)}</p>`}<p class="meta">${prose(facts)}</p>${
      parameters.length > 0 ? html`<ul>${parameters}</ul>` : ''
    }`.html,
    takes: takes ? fieldsOf(schemas[takes]) : [],
    gives: gives ? fieldsOf(schemas[gives]) : [],
    samples: own,
    ...(doc.who === 'key' && tryIt(own)),
  }
}

function samplesOf(route: string): DocSample[] {
  const curl = samples.filter((sample) => sample.route === route && sample.language === 'sh')
  return [
    ...curl.map(({ text, note }): DocSample => ({ language: 'curl', text, ...(note !== undefined && { note }) })),
    ...sdkSamples.filter((sample) => sample.route === route).map(({ language, text }): DocSample => ({ language, text })),
  ]
}

/** A call with a JSON body, or without any, can be made from the page; the first sample that streams is the one to try. */
function tryIt(own: readonly DocSample[]): Pick<DocEndpoint, 'tryIt'> {
  const simple = own.filter(
    ({ language, text }) => language === 'curl' && /^curl -s (-N )?"\$PARLEY_URL[^"]*"/.test(text) && !text.includes(' -F '),
  )
  const chosen = simple.find(({ text }) => text.includes('"stream": true')) ?? simple[0]
  const path = chosen && /"\$PARLEY_URL([^"]*)"/.exec(chosen.text)?.[1]
  const body = chosen && (/-d '(\{.*\})'/s.exec(chosen.text)?.[1] ?? '')
  return path === undefined || path.includes('$') || body === undefined ? {} : { tryIt: { path, body: pretty(body) } }
}

function pretty(body: string): string {
  return body === '' ? '' : JSON.stringify(JSON.parse(body), undefined, 2)
}

const powers: Record<(typeof scopes)[number], string> = {
  read: 'reads everything that its owner may read, but for kept bodies',
  usage: 'reads requests and usage',
  keys: 'reads and changes API keys',
  channels: 'reads, changes and tests channels, explains routes',
  prices: 'reads and changes prices, lists models',
  users: 'reads and changes users, roles, passwords and credit',
  groups: 'reads and changes groups',
  teams: 'reads and changes teams',
  audit: 'reads the audit trail',
  settings: 'reads and changes the settings',
  bodies: 'reads kept requests and answers',
}

function managementKeys({ publicUrl }: Reference): Section {
  const content: Html = html`<p>${prose('A management key, `pk-...`, does by program what its owner does in the console. Make one under Account. It opens `/api` within its scopes, and never more than its owner may do at that time; each endpoint above names the scopes of which one opens it.')}</p>
${listing('A call with a management key', `curl -s ${publicUrl.origin}/api/usage?by=model \\\n  -H "Authorization: Bearer $PARLEY_MANAGEMENT_KEY"`)}
${table(
  'Scopes',
  ['Scope', 'What it opens'],
  scopes.map((scope) => [`\`${scope}\``, powers[scope]]),
)}
<ul><li>${prose('It stops at its expiry, when it is deleted, and with its owner: disabled, deleted, or of another role than when it was made.')}</li>
<li>${prose('It makes no other management key, ends no session and changes no password of its owner. It never opens a door of models; keys of models never open `/api`.')}</li>
<li>${prose('It needs no cookie and no origin. The audit trail names it, and its owner.')}</li></ul>
<h3 id="command-line">Command line</h3>
<p>${prose('`parley` calls the same API: `parley keys create ci --daily 5`, `parley usage --by model --csv`, `parley config plan house.yaml`. It reads `PARLEY_URL` and `PARLEY_MANAGEMENT_KEY`; `parley help` lists every command.')}</p>`
  return { id: 'management-keys', title: 'Management keys', content }
}
