namespace Tools {
  export function saw(): void {}
}

Tools.saw();
