/** The reference as pages: what `/docs` in the console shows, from the same tables as the API document and the tests. */

import { samples } from '#shared/api/samples'
import { schemas } from '#shared/api/schemas'
import { sdkSamples } from '#shared/api/sdk-samples'
import type { DocEndpoint, DocPage, DocSample, Docs } from '#shared/console/docs'
import { scopes } from '#shared/console/management-key'
import { changes } from './change-page.ts'
import { errorsOf } from './endpoint-errors.ts'
import { fieldsOf } from './fields.ts'
import { html, listing, prose, type Section, table } from './html.ts'
import { limits } from './limit-page.ts'
import { losses } from './loss-page.ts'
import type { DescribedRoute } from './openapi.ts'
import { callers, errors, keys, type Reference, start, streamSections } from './page.ts'
import { type Tag, tags } from './route-doc.ts'
import { type Say, sentences } from './say.ts'

/** The pages of the reference, in the language of `reference.say`. */
export function docPages(reference: Reference): Docs {
  const { say } = reference
  const page = (group: string, { id, title, content, deep }: Section): DocPage => ({
    id,
    group: say(group),
    title,
    html: content.html,
    endpoints: [],
    ...(deep && { parts: [...deep] }),
  })
  const chapters = (Object.keys(tags) as Tag[]).map((tag): DocPage => {
    const endpoints = reference.routeDocs.filter(({ doc }) => doc.tag === tag).map((route) => endpointOf(route, say))
    return { id: tag.toLowerCase(), group: say('Endpoints'), title: say(tag), html: html`<p>${say(tags[tag])}</p>`.html, endpoints }
  })
  return {
    version: reference.version,
    origin: reference.publicUrl.origin,
    pages: [
      page('Start', { ...start(reference), title: say('Quickstart') }),
      page('Start', keys(say)),
      page('Start', errors(say)),
      page('Start', limits(say)),
      ...chapters.filter(({ endpoints }) => endpoints.length > 0),
      ...streamSections(say).map((section) => page('Streams', section)),
      page('Manage', managementKeys(reference)),
      ...losses(reference.losses, say).map((section) => page('How Parley works', { ...section, title: say('What is converted') })),
      ...changes(reference.changelog, say).map((section) => ({ ...page('How Parley works', section), later: true as const })),
    ],
  }
}

function endpointOf(described: DescribedRoute, say: Say): DocEndpoint {
  const { method, path, doc, openedBy = [] } = described
  const route = `${method} ${path}`
  const [takes] = [doc.takes?.json ?? doc.takes?.form]
  const [gives] = doc.gives.json ?? []
  const scopes = openedBy.map((scope) => `\`${scope}\``).join(say(' or '))
  const facts = sentences([
    say('For {who}.', { who: say(callers[doc.who]) }),
    scopes === '' ? '' : say('Management keys: {scopes}.', { scopes }),
    doc.gives.events ? say('Streams when asked to.') : '',
  ])
  const parameters = (doc.parameters ?? []).map(
    ({ name, in: place, description }) =>
      html`<li>${prose(say('`{name}` ({place}): {means}', { name, place: say(place), means: say(description) }))}</li>`,
  )
  const own = samplesOf(route, say)
  return {
    id: route
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, ''),
    method,
    path,
    summary: say(doc.summary),
    html: html`${doc.description === undefined ? '' : html`<p>${prose(say(doc.description))}</p>`}<p class="meta">${prose(facts)}</p>${
      parameters.length > 0 ? html`<ul>${parameters}</ul>` : ''
    }`.html,
    takes: takes ? fieldsOf(schemas[takes], say) : [],
    gives: gives ? fieldsOf(schemas[gives], say) : [],
    errors: errorsOf(described),
    samples: own,
    ...(doc.who === 'key' && tryIt(own)),
  }
}

function samplesOf(route: string, say: Say): DocSample[] {
  const curl = samples.filter((sample) => sample.route === route && sample.language === 'sh')
  return [
    ...curl.map(({ text, note }): DocSample => ({ language: 'curl', text, ...(note !== undefined && { note: say(note) }) })),
    ...sdkSamples.filter((sample) => sample.route === route).map(({ language, text }): DocSample => ({ language, text })),
  ]
}

/** A call with a JSON body, or without any, can be sent from the page; the first sample that streams is used. */
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
  read: 'reads everything that its owner may read, except kept bodies and replays',
  usage: 'reads requests and usage',
  keys: 'reads and changes API keys',
  channels: 'reads, changes and tests channels, explains routes',
  prices: 'reads and changes prices, lists models',
  users: 'reads and changes users, roles, passwords and credit',
  groups: 'reads and changes groups',
  teams: 'reads and changes teams, their members, caps and credit',
  credits: 'creates and revokes codes, gives plans, posts and refunds credits of payment systems',
  audit: 'reads the audit trail',
  settings: 'reads and changes the settings',
  bodies: 'reads kept requests and answers',
  replay: 'replays kept requests at its owner’s expense, and reads both answers',
}

function managementKeys({ publicUrl, say }: Reference): Section {
  const marked = (text: string) => prose(say(text))
  const content = html`<p>${marked('With a management key, `pk-...`, a program can do what its owner does in the console. Create one under Account. It gives access to `/api` within its scopes, and never to more than its owner may do at that time; each endpoint above names the scopes, any one of which is enough.')}</p>
${listing(say('A call with a management key'), `curl -s ${publicUrl.origin}/api/usage?by=model \\\n  -H "Authorization: Bearer $PARLEY_MANAGEMENT_KEY"`)}
${table(
  say('Scopes'),
  [say('Scope'), say('What it opens')],
  scopes.map((scope) => [`\`${scope}\``, say(powers[scope])]),
)}
<ul><li>${marked('It stops working at its expiry, when it is deleted, and when its owner is disabled, deleted, or gets another role.')}</li>
<li>${marked('It cannot create management keys, end sessions or change its owner’s password. It gives no access to models; API keys for models give no access to `/api`.')}</li>
<li>${marked('It needs no cookie and no origin. The audit trail records it and its owner.')}</li></ul>
<h3 id="command-line">${say('Command line')}</h3>
<p>${marked('`parley` calls the same API: `parley keys create ci --daily 5`, `parley usage --by model --csv`, `parley config plan house.yaml`. It reads `PARLEY_URL` and `PARLEY_MANAGEMENT_KEY`; `parley help` lists every command.')}</p>`
  return { id: 'management-keys', title: say('Management keys'), content }
}
