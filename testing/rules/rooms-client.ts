/** The rooms of the browser's side. */
import type { Room } from './floor-plan.ts'
import { inside } from './room-groups.ts'

const browser = ['solid-js', '@solidjs/router', '@kobalte/core', '@tanstack/solid-virtual']
const playground = (...parts: string[]) => inside('client/features/playground', ...parts)
const feature = { packages: browser, powers: ['time', 'chance', 'global'] } as const
/** What the console's pages share. */
const sharedByPages = ['client/console', ...inside('client/console', 'lists', 'dialogs')]
const screen = ['client/ui', 'client/api', 'shared']

/** In dependency order. */
export const clientRooms: Record<string, Room> = {
  'client/ui': { may: ['shared'], ...feature },
  // Passkeys are asked for here.
  'client/api': { may: ['shared'], packages: [...browser, '@simplewebauthn/browser'], powers: [...feature.powers, 'network'] },
  // The parts of the console's pages, without domain words: frame, tables, forms, drawers.
  'client/ui/console': { may: ['client/ui', 'shared'], ...feature },
  // Syntax colours. Loaded when code is shown.
  'client/ui/code': { may: ['client/ui'], ...feature, packages: [...browser, 'highlight.js'] },
  // The only room with drawing packages: charts, QR codes.
  'client/ui/chart': { may: ['client/ui', 'client/ui/console', 'shared'], packages: [...browser, 'uplot', 'uqr'], powers: feature.powers },
  // Shared by several console pages: loading states, error texts, limits, money in forms.
  'client/console': { may: [...screen, ...inside('client/ui', 'console')], ...feature },
  // Dialogs of several pages: the frame of a form, credits, invitations.
  'client/console/dialogs': { may: [...screen, ...inside('client/ui', 'console'), 'client/console'], ...feature },
  // Shared by lists of several pages: the days shown, usage of the rows of a page, sessions, invitations.
  'client/console/lists': { may: [...screen, ...inside('client/ui', 'console'), 'client/console', 'client/console/dialogs'], ...feature },
  // The navigation and the palette.
  'client/shell': { may: [...screen, ...inside('client/ui', 'console')], ...feature },
  // The interface texts in English and Chinese.
  ...Object.fromEntries(
    Object.entries({
      messages: ['client/ui'],
      // Text utilities of the page: copying, estimating tokens, indenting, showing hidden characters.
      text: ['client/ui', ...playground('messages')],
      // Conversations as data: tree, settings, storage, and synchronisation across tabs.
      conversation: ['shared'],
      // One request and its reply: the body, the stream, the recorded traffic.
      reply: ['client/api', 'shared', ...playground('conversation')],
      // Groups and models, and choosing one.
      models: [...screen, ...playground('messages', 'text')],
      // The playground's state, actions and open dialogs, passed to every part of the page as context.
      state: [...screen, ...playground('conversation', 'reply', 'models')],
      // The request in the other dialects.
      dialects: [...screen, ...playground('messages', 'reply')],
      keyboard: ['client/ui', ...playground('messages', 'text', 'state')],
      parameters: [...screen, ...playground('messages', 'conversation', 'state')],
      // Error messages, and what the user can do about them.
      failures: ['client/ui', 'shared', ...playground('messages', 'conversation', 'state')],
      // Markdown, code and formulas in replies. The only room with these packages.
      markdown: ['client/ui', 'client/ui/code', ...playground('messages', 'text')],
      templates: ['client/ui', 'client/api', ...playground('messages', 'text', 'state')],
      code: ['client/ui', ...playground('messages', 'reply', 'state', 'dialects', 'markdown')],
      inspector: ['client/ui', 'shared', ...playground('messages', 'text', 'conversation', 'reply', 'state', 'dialects')],
      composer: ['client/ui', 'shared', ...playground('messages', 'text', 'conversation', 'models', 'state', 'keyboard')],
      sidebar: ['client/ui', 'client/api', 'shared', ...playground('messages', 'text', 'conversation', 'state')],
      transcript: [...screen, ...playground('messages', 'text', 'conversation', 'models', 'state', 'keyboard', 'failures', 'markdown')],
      // Conversations that are also on the server.
      keeping: ['client/api', 'client/ui', 'shared', ...playground('conversation')],
      // A conversation as others see it, by a link.
      sharing: [...screen, ...playground('messages', 'text', 'conversation', 'markdown', 'sidebar')],
      compare: ['client/ui', ...playground('messages', 'conversation', 'models', 'state', 'composer', 'transcript')],
    }).map(([part, may]): [string, Room] => {
      if (part !== 'markdown') return [`client/features/playground/${part}`, { may, ...feature }]
      const packages = [...browser, 'marked', 'dompurify', 'katex', 'beautiful-mermaid']
      return [`client/features/playground/${part}`, { may, packages, powers: ['time', 'chance', 'global', 'worker'] }]
    }),
  ),
  // The page: layout, top bar, banner, dialogs.
  'client/features/playground': {
    may: [
      ...['client/ui', 'shared'],
      ...playground('messages', 'text', 'conversation', 'state', 'keyboard', 'parameters', 'markdown', 'templates', 'code'),
      ...playground('inspector', 'composer', 'sidebar', 'transcript', 'compare', 'keeping'),
    ],
    ...feature,
  },
  // All other pages.
  // The difference between two bodies; a kept request as a conversation of the playground.
  'client/features/requests': {
    may: [...playground('conversation'), ...screen, ...inside('client/ui', 'console', 'chart'), ...sharedByPages],
    ...feature,
    packages: [...browser, 'diff'],
  },
  // The form of a channel's settings: connection, costs, request changes.
  'client/features/channels/editing': {
    may: [...screen, ...inside('client/ui', 'console'), ...sharedByPages],
    ...feature,
  },
  // Beside those settings: the channel's recent traffic, who needs it, how it is declared.
  'client/features/channels/beside': { may: [...screen, ...inside('client/ui', 'console'), 'client/console'], ...feature },
  // Tests of channels and of their models, with the answers.
  'client/features/channels/testing': { may: [...screen, ...inside('client/ui', 'console'), 'client/console'], ...feature },
  'client/features/channels': {
    may: [
      'client/features/channels/editing',
      'client/features/channels/beside',
      'client/features/channels/testing',
      ...screen,
      ...inside('client/ui', 'console', 'chart', 'code'),
      ...sharedByPages,
    ],
    ...feature,
  },
  // The list of channels, and bulk actions.
  'client/features/channels/list': {
    may: [
      'client/features/channels',
      'client/features/channels/beside',
      'client/features/channels/testing',
      ...screen,
      ...inside('client/ui', 'console'),
      ...sharedByPages,
    ],
    ...feature,
  },
  'client/features/*': {
    may: [...screen, ...inside('client/ui', 'console', 'chart', 'code'), ...sharedByPages],
    ...feature,
  },
  client: {
    may: [
      ...screen,
      'client/shell',
      'client/features/playground',
      ...playground('sharing'),
      'client/features/requests',
      'client/features/channels',
      'client/features/channels/list',
      'client/features/*',
    ],
    packages: browser,
    powers: ['time'],
  },
}
