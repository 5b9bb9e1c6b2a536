/** The icons: 16 by 16, drawn with one stroke. */
const shapes = {
  alert: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6h.01',
  camera:
    'M2 5.7a1 1 0 0 1 1-1h1.9l1-1.5h4.2l1 1.5H13a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM8 6.5a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4z',
  check: 'm3.5 8.5 3 3 6-7',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  columns: 'M3.5 3h9A1.5 1.5 0 0 1 14 4.5v7a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5v-7A1.5 1.5 0 0 1 3.5 3zM8 3v10',
  copy: 'M7 5.5h5A1.5 1.5 0 0 1 13.5 7v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5zM10.5 3.5v-.2a.8.8 0 0 0-.8-.8H3.3a.8.8 0 0 0-.8.8v6.4c0 .44.36.8.8.8h.2',
  down: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10',
  edit: 'm3 13 .5-2.5 7-7a1.4 1.4 0 0 1 2 2l-7 7z',
  eye: 'M1.5 8S4 3.7 8 3.7 14.5 8 14.5 8 12 12.3 8 12.3 1.5 8 1.5 8zM8 6.1a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8z',
  file: 'm13 7.5-5 5a3.2 3.2 0 0 1-4.5-4.5l5.3-5.3a2.15 2.15 0 0 1 3 3L6.6 10.9a1.05 1.05 0 0 1-1.5-1.5l4.7-4.6',
  help: 'M8 2.25a5.75 5.75 0 1 0 0 11.5 5.75 5.75 0 0 0 0-11.5zM6.3 6.5a1.75 1.75 0 1 1 2.6 1.5c-.6.35-.9.7-.9 1.4M8 11.3h.01',
  left: 'M9.5 4.5 6 8l3.5 3.5',
  list: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  lock: 'M5 7h6a1.5 1.5 0 0 1 1.5 1.5V12a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 12V8.5A1.5 1.5 0 0 1 5 7zM5.5 7V5.2a2.5 2.5 0 0 1 5 0V7',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  photo:
    'M3.5 3h9A1.5 1.5 0 0 1 14 4.5v7a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5v-7A1.5 1.5 0 0 1 3.5 3zM5.5 5.3a1 1 0 1 0 0 2 1 1 0 0 0 0-2zM2.5 12l3.7-3.5 2.3 2 2.5-3 3 3.5',
  pin: 'M6 2.5h4l-.5 4 2 2.5h-7l2-2.5zM8 9v4.5',
  plus: 'M8 3.5v9M3.5 8h9',
  pulse: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  redo: 'M13 3.5v3h-3M12.7 6.5A5.2 5.2 0 1 0 13 9.5',
  right: 'm6.5 4.5 3.5 3.5-3.5 3.5',
  search: 'M7 2.75a4.25 4.25 0 1 0 0 8.5 4.25 4.25 0 0 0 0-8.5zM10.2 10.2l3.3 3.3',
  send: 'M8 13V3.5M4 7.2l4-4 4 4',
  shot: 'M2.5 5V3.5a1 1 0 0 1 1-1H5M11 2.5h1.5a1 1 0 0 1 1 1V5M13.5 11v1.5a1 1 0 0 1-1 1H11M5 13.5H3.5a1 1 0 0 1-1-1V11M6 8h4M8 6v4',
  sliders:
    'M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M10.25 3.25a1.75 1.75 0 1 0 0 3.5 1.75 1.75 0 0 0 0-3.5zM5.75 9.25a1.75 1.75 0 1 0 0 3.5 1.75 1.75 0 0 0 0-3.5z',
  steps: 'M2.5 12.5h3v-3h3v-3h3v-3h2',
  stop: 'M5 4.25h6a.75.75 0 0 1 .75.75v6a.75.75 0 0 1-.75.75H5a.75.75 0 0 1-.75-.75V5A.75.75 0 0 1 5 4.25z',
  text: 'M3 4h10M8 4v9M6.5 13h3',
  tool: 'M13.3 4.7 11 7 9 5l2.3-2.3a3.3 3.3 0 0 0-4.4 4.2L2.7 11.1a1.5 1.5 0 0 0 2.2 2.2l4.2-4.2a3.3 3.3 0 0 0 4.2-4.4z',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9M6.8 7v4M9.2 7v4',
  upload: 'M8 11V3M4.5 6.5 8 3l3.5 3.5M3 13.5h10',
  wrap: 'M2.5 4.5h11M2.5 8.5h8.7a2 2 0 0 1 0 4H8M9.5 10.8 7.8 12.5l1.7 1.7M2.5 12.5h2',
  x: 'm4 4 8 8M12 4l-8 8',
} as const

/** Name of an icon. */
export type IconName = keyof typeof shapes

/** An icon, always hidden from screen readers: the control that contains it has a name. */
export function Icon(props: { name: IconName; small?: boolean }) {
  return (
    <svg class="icon" classList={{ small: props.small ?? false }} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={shapes[props.name]}
        fill={props.name === 'stop' ? 'currentColor' : 'none'}
        stroke-width={props.name === 'more' ? 2 : undefined}
      />
    </svg>
  )
}
