/** Descriptions of the endpoints of interactions. */
import type { RouteDoc } from './route-doc.ts'

const interactions = { who: 'key', tag: 'Conversations' } as const

/** Under both versions that clients call. */
export const interactionRouteDocs: readonly RouteDoc[] = ['v1beta', 'v1'].flatMap((version): RouteDoc[] => {
  const at = `/${version}/interactions`
  return [
    {
      ...interactions,
      route: `POST ${at}`,
      summary: 'Gemini: create an interaction',
      description:
        'A conversation that is kept, on any upstream: a stored response in Gemini’s words, and either address reads what the other has made. What an upstream cannot be told is a loss; agents, environments and tools of Gemini’s own are refused with what they need. With `background: true` it comes at once with `in_progress`: GET it until it is made.',
      takes: { json: 'InteractionRequest' },
      gives: { json: ['Interaction'], events: true },
    },
    {
      ...interactions,
      route: `GET ${at}/:id`,
      summary: 'Gemini: one interaction',
      parameters: [
        { name: 'include_input', in: 'query', description: '`true`: with what it answers.' },
        { name: 'stream', in: 'query', description: '`true`: as the events that it was made of.' },
        { name: 'last_event_id', in: 'query', description: 'Only the events behind this one.' },
      ],
      gives: { json: ['Interaction'], events: true },
    },
    {
      ...interactions,
      route: `POST ${at}/:id/cancel`,
      summary: 'Gemini: cancel an interaction',
      description: 'One that is made in the background. What was delivered is charged.',
      gives: { json: ['Interaction'] },
    },
    { ...interactions, route: `DELETE ${at}/:id`, summary: 'Gemini: delete an interaction', gives: { json: ['EmptyAnswer'] } },
  ]
})
