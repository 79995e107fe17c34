// How something on the stage was pressed: what stands beside it is placed there, and the keyboard is led to it.

export interface Pressed {
  element: Element;
  byKey: boolean;
  /** With the other button of the mouse. */
  aside: boolean;
}

/** What a click, a press of another button or a key was. */
export function pressed(event: MouseEvent | KeyboardEvent): Pressed {
  const element = event.currentTarget as Element;
  return { element, byKey: event.type === "keydown", aside: event.type === "contextmenu" };
}
