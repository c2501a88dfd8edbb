"""How far is home? Tables, nets and hand-made estimates."""
